import { makeProject } from "./make-project.js";
import { startServer, type Handler, type LoopbackServer } from "./start-server.js";
import type { RunEvent } from "../engine/run-event.js";
import type { TestResult, TrialResult } from "../engine/run-result.js";
import type { RunTestsOptions } from "../plan/run-options.js";
import { runTests } from "../commands/run-tests.js";
import { isRecord } from "../values/json.js";

export interface Written {
  /** Reply of a scripted judge. */
  reply?: string;
  /** The judge as a model, in place of a scripted one. */
  judge?: string;
  answer?: string;
  /** The model under test, in place of a scripted one that gives `answer`. */
  agent?: string;
  assert?: string;
  /** In place of a written message. */
  input?: string;
  test?: string;
  more?: string;
}

export const judged = "{ type: judge, criteria: Says when it comes }";

export function projectOf({ reply = "{ json: { reasoning: Fine., score: 0.9 } }", ...written }: Written): string {
  const judge = written.judge ?? `provider: scripted, script: { otherwise: ${reply} }`;
  const said = JSON.stringify(written.answer ?? "It comes today.");
  const agent = written.agent ?? `provider: scripted, script: { otherwise: { text: ${said} } }`;
  return makeProject({
    "kindlm.yaml": `version: 1
models:
  - { id: m, ${agent} }
  - { id: j, ${judge} }
defaults: { judge: j }
${written.more ?? ""}
suites:
  - name: s
    tests:
      - name: t
        ${written.input ?? "input: When does it come?"}
        ${written.test ?? ""}
        assert: [${written.assert ?? judged}]
`,
  });
}

/** Runs the project and gives what became of its first trial. */
export async function runWritten(written: Written, options: Partial<RunTestsOptions> = {}, cwd = projectOf(written)) {
  const events: RunEvent[] = [];
  const ran = await runTests(
    { paths: [], ...options },
    { env: { KEY: "k" }, cwd, onEvent: (event) => events.push(event) },
  );
  if (!ran.success) throw new Error(JSON.stringify(ran.error));
  const trials: TrialResult[] = [];
  for await (const trial of ran.data.trials()) trials.push(trial);
  const [trial] = trials;
  if (trial === undefined) throw new Error("no trial");
  const [first] = trial.assertions;
  const verdicts = ran.data.suites.flatMap((suite) => suite.tests).map(verdictOf);
  return { verdicts, trial, first, summary: ran.data.summary, events, result: ran.data, cwd };
}

function verdictOf(test: TestResult): string {
  const why = test.status === "errored" ? ` ${test.error.code}: ${test.error.message}` : "";
  return `${test.id} ${test.status}${why}`;
}

/** A chat completion with this text. */
export const completion = (text: string, finish = "stop") => ({
  model: "judge-1",
  choices: [{ message: { role: "assistant", content: text }, finish_reason: finish }],
  usage: { prompt_tokens: 100, completion_tokens: 10 },
});

export async function withServer<T>(
  handler: Handler,
  use: (server: LoopbackServer, judge: string) => Promise<T>,
): Promise<T> {
  const server = await startServer(handler);
  const judge = `provider: live, model: judge-1, pricing: { input: 10, output: 100 }`;
  try {
    return await use(server, judge);
  } finally {
    await server.close();
  }
}

export const live = (server: LoopbackServer, more = "") =>
  `providers: { live: { type: openai, base_url: ${server.url}, api_key_env: KEY, retry: { initial_delay: 1ms, max_delay: 1ms } } }\n${more}`;

export const bodyOf = (server: LoopbackServer, index: number): Record<string, unknown> => {
  const json = server.requests[index]?.json;
  return isRecord(json) ? json : {};
};
