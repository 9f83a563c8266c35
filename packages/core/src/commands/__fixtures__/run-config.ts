import { makeProject } from "../../__fixtures__/make-project.js";
import { scriptedConfig, type ScriptedConfig } from "../../__fixtures__/scripted-config.js";
import type { RunEvent } from "../../engine/run-event.js";
import type { RunResult, TrialResult } from "../../engine/run-result.js";
import type { Environment } from "../../run/environment.js";
import type { RunTestsOptions } from "../../plan/run-options.js";
import { runTests } from "../run-tests.js";

export interface Ran {
  result: RunResult;
  events: readonly RunEvent[];
  /** Status by case id. */
  statuses: Readonly<Record<string, string>>;
  trials: readonly TrialResult[];
}

/** Runs a config of scripted models, and shows what came out. */
export async function runConfig(
  config: ScriptedConfig,
  options: Partial<RunTestsOptions> = {},
  environment: Partial<Environment> = {},
): Promise<Ran> {
  const cwd = makeProject({ "kindlm.yaml": scriptedConfig(config) });
  const events: RunEvent[] = [];
  const ran = await runTests(
    { paths: [], ...options },
    { env: {}, cwd, ...environment, onEvent: (event) => events.push(event) },
  );
  if (!ran.success) throw new Error(JSON.stringify(ran.error));
  const tests = ran.data.suites.flatMap((suite) => suite.tests);
  return {
    result: ran.data,
    events,
    statuses: Object.fromEntries(tests.map((test) => [test.id, test.status])),
    trials: await collect(ran.data.trials()),
  };
}

async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of source) items.push(item);
  return items;
}
