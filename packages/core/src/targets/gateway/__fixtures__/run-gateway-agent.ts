import { afterFile } from "../../../__fixtures__/clean-up.js";
import { makeProject } from "../../../__fixtures__/make-project.js";
import { sharedModules } from "../../../__fixtures__/shared-modules.js";
import { startServer } from "../../../__fixtures__/start-server.js";
import { runTests } from "../../../commands/run-tests.js";
import type { RunTestsOptions } from "../../../plan/run-options.js";
import type { RunEvent } from "../../../engine/run-event.js";
import type { TrialResult } from "../../../engine/run-result.js";

interface ClientAccess {
  baseURL: string;
  apiKey: string;
}

/** How an agent reaches its models. `url`: without a path. */
export interface GatewayAccess extends ClientAccess {
  url: string;
  /** For a client of Anthropic's. */
  anthropic: ClientAccess;
  /** For a client of Google's. */
  gemini: { baseUrl: string; apiKey: string };
}

export type GatewayAgent = (input: string, access: GatewayAccess) => Promise<string>;

export interface AgentSetup {
  /** The whole config; `{{target}}` is the mapping of the target. */
  config: string;
  /** YAML value of `proxy:`. */
  proxy?: string;
  env?: Readonly<Record<string, string>>;
}

let number = 0;

/** How the modules of tests, which run in a worker, reach the functions that stand in a test. */
const agents = new Map<string, GatewayAgent>();
let agentServer: ReturnType<typeof startServer> | null = null;

const bridge = `export default async (input, { options, openai, anthropic, gemini, signal }) => {
  const reply = await fetch(options, { method: "POST", body: JSON.stringify({ input, openai, anthropic, gemini }), signal });
  const { text, thrown } = await reply.json();
  if (thrown !== undefined) throw new Error(thrown);
  return text;
};`;

/** Runs a config whose agent is the function, and gives its trials. */
export async function runGatewayAgent(
  agent: GatewayAgent,
  { config, proxy = "true", env = {} }: AgentSetup,
): Promise<{
  trial: TrialResult;
  trials: readonly TrialResult[];
  events: RunEvent[];
  cwd: string;
  replay(): Promise<TrialResult>;
}> {
  const name = `agent-${(number += 1)}`;
  agents.set(name, agent);
  afterFile(async () => void agents.delete(name));
  const target = `{ module: "./agent.mjs", with: "${(await serveAgents()).url}/${name}", proxy: ${proxy} }`;
  const cwd = makeProject({ "kindlm.yaml": config.replace("{{target}}", target), "agent.mjs": bridge });
  const events: RunEvent[] = [];
  const trials: TrialResult[] = [];
  const runOnce = async (options: Partial<RunTestsOptions>): Promise<TrialResult> => {
    const world = { env, cwd, onEvent: (event: RunEvent) => void events.push(event), openModules: sharedModules };
    const ran = await runTests({ paths: [], ...options }, world);
    if (!ran.success) throw new Error(JSON.stringify(ran.error));
    trials.length = 0;
    for await (const trial of ran.data.trials()) trials.push(trial);
    const [first] = trials;
    if (first === undefined) throw new Error("no trial");
    return first;
  };
  return { trial: await runOnce({}), trials, events, cwd, replay: () => runOnce({ cassette: "replay" }) };
}

function serveAgents(): ReturnType<typeof startServer> {
  if (agentServer !== null) return agentServer;
  agentServer = startServer(async ({ path, json }, response) => {
    const { input, openai, ...others } = json as { input: string; openai: ClientAccess } & Omit<
      GatewayAccess,
      "url" | keyof ClientAccess
    >;
    const access = { ...openai, url: openai.baseURL.replace(/\/v1$/, ""), ...others };
    const answered = await Promise.resolve(agents.get(path.slice(1))?.(input, access)).then(
      (text) => ({ text }),
      (cause: unknown) => ({ thrown: String(cause) }),
    );
    response.end(JSON.stringify(answered));
  });
  const serving = agentServer;
  afterFile(async () => {
    agentServer = null;
    await (await serving).close();
  });
  return serving;
}
