import path from "node:path";
import { fileURLToPath } from "node:url";
import {
  createRedactor,
  listCases,
  type CaseList,
  type Environment,
  type KindlmConfig,
  type ListedCase,
  type Result,
  type RunTestsOptions,
} from "@kindlm/core";
import { diagnosticsOf } from "@kindlm/core/program";
import { afterAll, describe, test, type RunnerTask, type RunnerTestSuite, type TestContext } from "vitest";
import { errorOfCase, errorOfGates, errorOfRun } from "./case-errors.js";
import { startRun, type StartedRun } from "./start-run.js";

type RunOptions = Omit<RunTestsOptions, "paths" | "config" | "resume" | "rerunFailed" | "shard" | "shardDurations">;

/** How the cases run: options of `runTests`, and what only Vitest knows. */
export interface DescribeOptions extends RunOptions, Pick<Environment, "env" | "cwd"> {
  /** Deadline of each Vitest test, milliseconds. Default: 0 for none, because KindLM has its own deadlines. */
  timeout?: number;
}

/** What a Vitest test knows of its config. */
export interface KindlmMeta {
  /** ID of the case. */
  case?: string;
  /** What the config depends on; of one test per config. */
  places?: readonly (readonly [place: string, kind: "file" | "below"])[];
}

declare module "vitest" {
  interface TaskMeta {
    /** Set by `describeKindlm`. */
    kindlm?: KindlmMeta;
  }
}

/**
 * Registers the cases of a config as Vitest tests: a `describe` per config and suite, a test per case, and a last test for
 * the gates. Call it with `await` at the top of a test file. Paths start from `cwd`, by default the root of Vitest.
 *
 * Only the cases that Vitest selects run, all in one run. A failed case throws a `CaseFailedError`, an errored one a
 * `CaseErroredError`; one that KindLM skips is skipped with its reason. A config that cannot be used is a test that fails.
 */
export async function describeKindlm(
  config: string | URL | readonly string[] | KindlmConfig,
  { timeout = 0, env, cwd: folder = ".", ...runOptions }: DescribeOptions = {},
): Promise<void> {
  const cwd = path.resolve(folder);
  const redactor = createRedactor([]);
  const places = new Map<string, "file" | "below">();
  const shared: CaseEnvironment = { cwd, redactor, moduleConsole: "stderr", ...(env === undefined ? {} : { env }) };
  const target = targetOf(config);
  const options: RunTestsOptions = { ...runOptions, ...target };
  const listed = await listCases(options, { ...shared, onDependency: (place, kind) => void places.set(place, kind) });
  const dependencies = { kindlm: { places: [...places] } };
  describe(nameOf(target, cwd), () => {
    const problem = problemOf(listed, cwd);
    if (problem !== null) {
      test("config", { meta: dependencies }, () => {
        throw problem;
      });
    }
    if (!listed.success) return;
    const cases = new SelectedCases(options, shared, listed.data.cases.length);
    afterAll(() => cases.end(), 0);
    registerCases(listed.data, cases, timeout);
    test("gates", { timeout, meta: dependencies }, (context) => cases.checkGates(context));
  });
}

/** What keeps the config, or a suite of it, from running. */
function problemOf(listed: Result<CaseList>, cwd: string): Error | null {
  if (!listed.success) return errorOfRun(listed.error, cwd, diagnosticsOf(listed.error));
  const first = listed.data.diagnostics.find(({ severity }) => severity === "error");
  return first === undefined ? null : errorOfRun(first, cwd, listed.data.diagnostics);
}

function registerCases({ cases }: CaseList, selected: SelectedCases, timeout: number): void {
  for (const [suite, own] of bySuite(cases)) {
    describe(suite, () => {
      for (const { id } of own) {
        const name = id.startsWith(`${suite}/`) ? id.slice(suite.length + 1) : id;
        test(name, { timeout, meta: { kindlm: { case: id } } }, (context) => selected.check(id, context));
      }
    });
  }
}

function bySuite(cases: CaseList["cases"]): ReadonlyMap<string, CaseList["cases"]> {
  const suites = new Map<string, ListedCase[]>();
  for (const one of cases) {
    const own = suites.get(one.suite);
    if (own === undefined) suites.set(one.suite, [one]);
    else own.push(one);
  }
  return suites;
}

type CaseEnvironment = Environment & Required<Pick<Environment, "redactor" | "cwd">>;

/** The cases that Vitest has selected of a config. */
class SelectedCases {
  readonly #options: RunTestsOptions;
  readonly #environment: CaseEnvironment;
  readonly #all: number;
  readonly #checked = new Set<string>();
  readonly #runs: StartedRun[] = [];

  /** @param all - how many cases there are */
  constructor(options: RunTestsOptions, environment: CaseEnvironment, all: number) {
    this.#options = options;
    this.#environment = environment;
    this.#all = all;
  }

  /** Waits for the case. At a retry of Vitest, it runs again, alone. */
  async check(id: string, context: TestContext): Promise<void> {
    const run = this.#checked.has(id) ? this.#start([id]) : this.#begin(context.task.suite?.suite);
    this.#checked.add(id);
    const { test: result, assertions } = await run.outcomeOf(id);
    if (result.status === "passed") return;
    if (result.status === "skipped") return context.skip(result.reason);
    const error = errorOfCase(result, assertions, this.#environment);
    if (result.allowFailure === null) throw error;
    context.skip(`${result.status}, which is allowed: ${result.allowFailure}\n${error.message}`);
  }

  async checkGates(context: TestContext): Promise<void> {
    const run = this.#begin(context.task.suite);
    if (!run.isWhole) return context.skip("Only some cases run, and gates are about all");
    const ended = await run.result;
    if (!ended.success) throw errorOfRun(ended.error, this.#environment.cwd, diagnosticsOf(ended.error));
    const { gates, verdict, reasons, summary } = ended.data;
    const failed = gates.filter(({ pass }) => !pass).map(({ message }) => message);
    const isElsewhere = summary.failed + summary.errored > 0;
    const problems = failed.length === 0 && verdict === "failed" && !isElsewhere ? reasons : failed;
    if (problems.length > 0) throw errorOfGates(this.#environment.redactor.redact(problems.join("\n")));
    if (gates.length === 0) context.skip("The config has no gates");
  }

  async end(): Promise<void> {
    await Promise.all(this.#runs.splice(0).map((run) => run.end()));
    this.#checked.clear();
  }

  /** The run of what Vitest has selected, which the first test starts. */
  #begin(whole: RunnerTestSuite | undefined): StartedRun {
    const ids = selectedIn(whole?.tasks ?? []);
    return this.#runs[0] ?? this.#start(ids.length === this.#all ? null : ids);
  }

  #start(ids: readonly string[] | null): StartedRun {
    const run = startRun(this.#options, this.#environment, ids);
    this.#runs.push(run);
    return run;
  }
}

function selectedIn(tasks: readonly RunnerTask[]): readonly string[] {
  return tasks.flatMap((task) => {
    if (task.mode === "skip" || task.mode === "todo") return [];
    if (task.type === "suite") return selectedIn(task.tasks);
    return task.meta.kindlm?.case ?? [];
  });
}

type Target = Pick<RunTestsOptions, "paths" | "config">;

function targetOf(config: string | URL | readonly string[] | KindlmConfig): Target {
  if (typeof config === "string") return { paths: [config] };
  if (config instanceof URL) return { paths: [fileURLToPath(config)] };
  return isList(config) ? { paths: config } : { config };
}

function isList(config: readonly string[] | KindlmConfig): config is readonly string[] {
  return Array.isArray(config);
}

/** Such as `kindlm.yaml`; it stays the same wherever the project is. */
function nameOf({ paths }: Target, cwd: string): string {
  if (paths === undefined) return "kindlm";
  return paths.map((one) => path.relative(cwd, path.resolve(cwd, one)).replaceAll("\\", "/") || ".").join(", ");
}
