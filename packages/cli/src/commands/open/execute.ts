import { success, type KindlmError, type ProjectPlace, type Result, type RunResult } from "@kindlm/core";
import { findRun, loadRun } from "@kindlm/core/commands/runs";
import { spawn } from "node:child_process";
import { platform } from "node:os";
import { join } from "node:path";
import type { CliEnvironment } from "../../environment.js";
import { htmlReporter } from "../../reporters/html/html-reporter.js";
import type { EarlierResults } from "../../reporters/report-options.js";
import { currentBaselines, earlierRun } from "../../reports/earlier-results.js";
import { renderOptionsFor } from "../../reports/render-options.js";
import { writeReports } from "../../reports/write-reports.js";
import { isCi } from "../../terminal/is-ci.js";
import type { InvocationOf } from "../command-definition.js";
import { given } from "../given.js";
import { printAnswer, printError } from "../print-answer.js";
import type { openCommand } from "./command.js";

/** Exit code 0 says that the report was written, whether or not there was a browser for it. */
export async function execute(invocation: InvocationOf<typeof openCommand>): Promise<number> {
  const { args, flags, global, environment } = invocation;
  const project = { paths: global.config, ...given({ root: flags.root, run: args[0] }) };
  const found = await findRun(project, environment);
  if (!found.success) return printError(invocation, found.error);
  const loaded = await loadRun(project, environment);
  if (!loaded.success) return printError(invocation, loaded.error);
  const { result, paths, findTrials } = loaded.data;
  const sound = await findTrials();
  if (!sound.success) return printError(invocation, sound.error);
  const earlier = await readEarlier(flags.compare, result, project, environment);
  if (!earlier.success) return printError(invocation, earlier.error);

  const file = join(found.data.path, "report.html");
  const optionsFor = renderOptionsFor(invocation, paths, result);
  const compared = flags.compare.length === 0 ? {} : { readEarlier: async () => earlier.data };
  let problem: KindlmError | null = null;
  await writeReports(result, { stdout: null, files: [{ reporter: htmlReporter, file }] }, environment, {
    brief: false,
    optionsFor: (stream) => ({ ...optionsFor(stream), ...compared }),
    warn: async (error) => {
      problem = error;
    },
  });
  if (problem !== null) return printError(invocation, problem);
  const printed = await printAnswer(invocation, { data: { report: file }, text: `${file}\n` });
  if (!flags.print) await openReport(file, environment);
  return printed;
}

/** What the flags name, in their order. */
async function readEarlier(
  wanted: readonly string[],
  result: RunResult,
  project: ProjectPlace & { run?: string },
  environment: CliEnvironment,
): Promise<Result<readonly EarlierResults[]>> {
  const found: EarlierResults[] = [];
  for (const one of wanted) {
    if (one === "baseline") {
      const baselines = await currentBaselines(result, project, environment);
      if (!baselines.success) return baselines;
      found.push(...baselines.data);
      continue;
    }
    const run = await earlierRun({ ...project, earlier: one }, environment);
    if (!run.success) return run;
    found.push(run.data);
  }
  return success(found);
}

async function openReport(file: string, { env, stderr }: CliEnvironment): Promise<void> {
  const why = whyNoBrowser(env, platform());
  if (why !== null) {
    await stderr.write(`${why}. Open the file in a browser\n`);
    return;
  }
  const browser = browserFor(env, platform());
  if (await startProgram([...browser, file], env)) return;
  await stderr.write(`Could not open the report with ${browser[0]}. Open the file in a browser, or set BROWSER\n`);
}

type Env = Readonly<Record<string, string | undefined>>;

/** A program that still runs after so long has found the file: browsers stay, and openers hand over and end. */
const patienceMs = 1_500;

/** Why no browser would appear where the user is; null if one would. `BROWSER` is believed, also over SSH. */
export function whyNoBrowser(env: Env, system: string): string | null {
  const isSet = (name: string): boolean => (env[name] ?? "") !== "";
  if (env["BROWSER"] === "none") return "BROWSER is none";
  if (isSet("BROWSER")) return null;
  if (isCi(env)) return "No browser is opened in CI";
  if (isSet("SSH_CONNECTION") || isSet("SSH_TTY")) return "No browser is opened over SSH";
  const hasDisplay = system === "win32" || system === "darwin" || isSet("DISPLAY") || isSet("WAYLAND_DISPLAY");
  return hasDisplay ? null : "No display was found";
}

/** The program and its first arguments; the file follows. None of them is a shell. */
export function browserFor(env: Env, system: string): readonly [string, ...string[]] {
  const { BROWSER = "" } = env;
  if (BROWSER !== "") return [BROWSER];
  if (system === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  return [system === "darwin" ? "open" : "xdg-open"];
}

/** Starts a program that outlives this one. Resolves with whether it could be started and did not fail at once. */
async function startProgram([program, ...words]: readonly [string, ...string[]], env: Env): Promise<boolean> {
  const child = spawn(program, words, { env: { ...env }, stdio: "ignore", detached: true, windowsHide: true });
  child.unref();
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(true), patienceMs);
    const end = (isStarted: boolean): void => {
      clearTimeout(timer);
      resolve(isStarted);
    };
    child.once("error", () => end(false));
    child.once("exit", (code) => end(code === 0));
  });
}
