import type { Reporter, TestModule } from "vitest/node";
import { referenceMs } from "../../bench/reference-speed.js";

/** What a file may take on the reference machine, and by how much the run fails if it takes longer. */
const budgetMs = 3_000;
const tolerated = 3;

/** Files that may take longer, each with its reason. */
const exceptions: Readonly<Record<string, { budgetMs: number; because: string }>> = {};

const fewestShown = 20;

interface FileTime {
  file: string;
  ms: number;
  /** Used of processors. */
  cpuMs: number;
  limitMs: number;
}

/**
 * Fails the run if a test file takes three times its budget, so that the suite cannot become slow again unnoticed.
 * Times are scaled by a loop that is timed in the same workers: a slow or busy machine fails nothing. If
 * `KINDLM_SLOWEST` is a number, the run ends with a table of so many files, at least twenty: those that use most
 * processor time.
 */
export const budgetReporter: Reporter = {
  onTestRunEnd(all) {
    // What is long has no budget: it is there because it takes its time. Browsers take theirs to start.
    const modules = all.filter(({ project }) => project.name === "suite");
    const slowdowns = slowdownsOf(modules);
    const slowdown = Math.max(1, ...slowdowns);
    const times = modules.map((module) => timeOf(module, slowdown)).toSorted((a, b) => b.ms - a.ms);
    const asked = process.env["KINDLM_SLOWEST"] ?? "";
    if (asked !== "" && modules.length > 0)
      process.stdout.write(renderTable(times, Number(asked) || 0) + renderSpeed(slowdowns));
    const over = times.filter(({ ms, limitMs }) => ms > limitMs);
    if (over.length === 0) return;
    const lines = over.map(({ file, ms, limitMs }) => `  ${file}: ${seconds(ms)}, allowed ${seconds(limitMs)}`);
    process.stderr.write(
      `\nTest files over their budget:\n${lines.join("\n")}\nMake them faster: see CONTRIBUTING.md\n`,
    );
    process.exitCode = 1;
  },
};

function timeOf(module: TestModule, slowdown: number): FileTime {
  const file = module.relativeModuleId;
  const budget = exceptions[file]?.budgetMs ?? budgetMs;
  const cpuMs = module.meta().cpuMs ?? 0;
  return { file, ms: module.diagnostic().duration, cpuMs, limitMs: budget * tolerated * slowdown };
}

/**
 * How many times as long as on the reference machine everything took, at several moments. Budgets go by the most, since
 * other load comes in bursts, and one of them may be what a file took so long for.
 */
function slowdownsOf(modules: readonly TestModule[]): readonly number[] {
  const taken = modules.flatMap((module) => module.meta().calibrationMs ?? []);
  return taken.map((ms) => ms / referenceMs);
}

function renderSpeed(slowdowns: readonly number[]): string {
  const ordered = slowdowns.toSorted((a, b) => a - b).map((factor) => factor.toFixed(1));
  const median = ordered[Math.floor(ordered.length / 2)];
  if (median === undefined) return "";
  return `The reference machine is ${median} times as fast as this one was (${ordered.at(0)} to ${ordered.at(-1)}).\n`;
}

function renderTable(times: readonly FileTime[], shown: number): string {
  const slowest = times.toSorted((a, b) => b.cpuMs - a.cpuMs).slice(0, Math.max(fewestShown, shown));
  const lines = slowest.map(
    ({ file, ms, cpuMs }) => `${seconds(cpuMs).padStart(8)} ${seconds(ms).padStart(8)}  ${file}`,
  );
  const total = times.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
  return `\nTest files by processor time, of ${seconds(total)}, and by duration:\n${lines.join("\n")}\n`;
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
