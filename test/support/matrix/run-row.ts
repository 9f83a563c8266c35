import { makeProject } from "../../../packages/core/src/__fixtures__/make-project.js";
import { createLeapingClock } from "../leaping-clock.js";
import { startServer } from "../../../packages/core/src/__fixtures__/start-server.js";
import type { Clock, KindlmConfig, RunEvent } from "../../../packages/core/src/index.js";
import { runTests } from "../built-core.js";
import type { RawServer, Row, Step } from "./row.js";

export interface Outcome {
  code: string;
  message: string | null;
  /** That the server read. */
  requests: number;
  /** That the run counts. */
  attempts: number;
  waits: readonly number[];
  /** From the start of the trial to its end. */
  elapsedMs: number;
}

const key = "sk-test-0123456789abcdef0123456789";

const tool = {
  name: "lookup_order",
  parameters: { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] },
  responses: [{ delay: "2s", return: { status: "delivered" } }],
};

/** Runs the config of the row against its server, in a time of its own. */
export async function runRow(row: Row): Promise<Outcome> {
  const clock = createLeapingClock(row);
  const server = typeof row.server === "function" ? await row.server() : await startSteps(row, row.server, clock);
  const shape = row.shape ?? "openai";
  const config: KindlmConfig = {
    version: 1,
    providers: { [shape]: { base_url: server.baseUrl } },
    models: [{ id: "m", provider: shape, model: "model-1", ...row.model }],
    ...row.config,
    suites: [
      {
        name: "s",
        tools: [tool],
        tests: [{ name: "t", input: "Where is order ORD-1?", assert: [{ type: "contains", value: "delivered" }] }],
      },
    ],
  };
  const events: RunEvent[] = [];
  const env = { OPENAI_API_KEY: key, ANTHROPIC_API_KEY: key };
  const ran = await runTests(
    { config, journal: false },
    { env, cwd, clock, processes: noProcesses, onEvent: (event) => events.push(event) },
  );
  await server.close();
  if (!ran.success) throw new Error(JSON.stringify(ran.error));
  const test = ran.data.suites[0]?.tests[0];
  const error = test?.status === "errored" ? test.error : null;
  const startedAt = events.find(({ type }) => type === "trial:start")?.time ?? Number.NaN;
  const endedAt = events.find(({ type }) => type === "trial:end")?.time ?? Number.NaN;
  return {
    code: error?.code ?? test?.status ?? "no test",
    message: error?.message ?? null,
    requests: server.requests(),
    attempts: ran.data.summary.requests,
    waits: events.flatMap((event) => (event.type === "retry:start" ? [event.waitMs] : [])),
    elapsedMs: endedAt - startedAt,
  };
}

/** Holds nothing: the runs read their configs from no file, and leave none behind. */
const cwd = makeProject({});

/** The state of a git repository is no part of the table. */
const noProcesses = {
  run: () => Promise.resolve({ success: false as const, error: { message: "none", cause: new Error("none") } }),
};

async function startSteps(row: Row, steps: readonly [Step, ...Step[]], clock: Clock): Promise<RawServer> {
  const shape = row.shape ?? "openai";
  const server = await startServer((request, response) => {
    const step = steps[Math.min(request.number, steps.length) - 1] ?? steps[0];
    return step({ shape, request, response, clock });
  });
  return {
    baseUrl: shape === "openai" ? `${server.url}/v1` : server.url,
    requests: () => server.requests.length,
    close: server.close,
  };
}
