import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeProject } from "../../packages/core/src/__fixtures__/make-project.js";
import { runCli, type CliOutcome } from "./run-cli.js";

/** Each rule answers the input that is its key; all else is answered with `hello`. */
export type Script = Readonly<Record<string, object>>;

export function scriptText(rules: Script): string {
  const list = Object.entries(rules).map(([user, reply]) => ({ when: { user }, reply }));
  return JSON.stringify({ rules: list, otherwise: { text: "hello" } });
}

/** A test that passes where the answer is `hello`; its input is its name. */
export const greeting = (name: string, more = ""): string =>
  `      - { name: ${name}, input: ${name}, ${more}assert: [{ type: contains, value: hello }] }\n`;

/** A project of one scripted suite with such tests. */
export function baselineProject(tests: readonly string[], suite = "refund-agent", top = ""): string {
  return makeProject({ "kindlm.yaml": configText(tests, suite, top), "script.yaml": scriptText({}) });
}

export function configText(tests: readonly string[], suite = "refund-agent", top = ""): string {
  const models = "models: [{ id: m, provider: scripted, script: script.yaml }]\n";
  const suites = `suites:\n  - name: ${JSON.stringify(suite)}\n    tests:\n`;
  return `version: 1\n${top}${models}${suites}${tests.map((test) => (test.includes("{") ? test : greeting(test))).join("")}`;
}

export function rewrite(cwd: string, file: string, text: string): void {
  writeFileSync(join(cwd, file), text);
}

export function baselineFile(cwd: string, suite = "refund-agent"): string {
  return join(cwd, ".kindlm", "baselines", `${suite}.json`);
}

/** What stands in the folder of the baselines. */
export function baselineNames(cwd: string): readonly string[] {
  return readdirSync(join(cwd, ".kindlm", "baselines")).toSorted();
}

export interface StoredEntry {
  caseId: string;
  passes: number;
  trials: number;
  isPassed: boolean;
  calls: string[];
  output?: string;
}

export function entriesIn(file: string): readonly StoredEntry[] {
  return (JSON.parse(readFileSync(file, "utf8")) as { cases: StoredEntry[] }).cases;
}

export const run = (cwd: string, ...args: readonly string[]): Promise<CliOutcome> => runCli(args, { cwd });

export interface ComparisonReport {
  exitCode: number;
  comparison?: { verdict: string | null; suites: ComparedReport[] };
}

export interface ComparedReport {
  suite: string;
  status: string;
  verdict: string;
  worse: { id: string }[];
  regressedOutright: string[];
  agentChanges: string[];
  added: string[];
  removed: string[];
  changedChecks: string[];
  error?: { code: string; message: string };
}

/** Runs the tests with the JSON report. */
export async function report(cwd: string, ...args: readonly string[]): Promise<ComparisonReport> {
  const { stdout } = await run(cwd, "test", "--reporter", "json", ...args);
  return JSON.parse(stdout) as ComparisonReport;
}
