import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterFile } from "../../../packages/core/src/__fixtures__/clean-up.js";
import type { AdapterFamily, Judged } from "./adapter-family.js";
import { createDice } from "./dice.js";
import { drawAnswer, drawMutant, type Fate, type Mutant } from "./draw-mutant.js";
import { shrinkReply } from "./shrink-reply.js";

/** A draw that went wrong, as small as it could be made. */
export interface Finding {
  family: string;
  seed: number;
  draw: number;
  isStream: boolean;
  problem: string;
  steps: readonly string[];
  reply: readonly string[];
}

export interface FuzzReport {
  draws: number;
  /** How often the call was still there, gone, or nobody could say. */
  fates: Readonly<Record<Fate, number>>;
  /** How often the planted call was seen, and how often the trial ended with an error instead. */
  seen: number;
  errored: number;
  slowestMs: number;
  /** The most memory that was in use beyond that at the first fuzz of the test file, MiB. */
  mostKept: number;
  findings: readonly Finding[];
}

/** Nothing that a reply of a few kilobytes holds may take longer. */
const mostMs = 2_000;

/** Nothing is kept of a trial that was judged, so this is far more than one reply takes. */
const mostKeptMiB = 500;

function usedMiB(): number {
  return getHeapStatistics().used_heap_size / 1_048_576;
}

/** The heap without its garbage: how much of that lies about depends on the machine, and on the test files before. */
function liveMiB(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return usedMiB();
}

/** At the first fuzz of a test file, so that what one family keeps counts for those after it too. */
let atStart: number | null = null;

/** How much more memory is in use than at the first fuzz of the file, MiB. Collects garbage only where that could matter. */
function keptMiB(): number {
  if (atStart === null) {
    atStart = liveMiB();
    afterFile(() => {
      atStart = null;
    });
  }
  return (usedMiB() - atStart > mostKeptMiB ? liveMiB() : usedMiB()) - atStart;
}

/** What is wrong with a verdict; null where it is right. */
function problemOf(family: AdapterFamily, { fate, steps }: Mutant, judged: Judged): string | null {
  const { forbidding, demanding, error } = judged;
  const passed = Object.entries(forbidding).flatMap(([name, verdict]) => (verdict === "passed" ? [name] : []));
  if (fate === "there" && passed.length > 0) return `${passed.join(" and ")} passed although the call was made`;
  if (fate === "gone" && demanding === "passed") return "tool_called passed although no call was made";
  if (demanding === "passed" && passed.length > 0) return `tool_called passed, and ${passed.join(" and ")} too`;
  const isOriginal = steps.length === 0 && family.mayBeUnreadable !== true;
  if (isOriginal && demanding !== "passed") return `a reply as it should be was not read (${error ?? "not called"})`;
  return null;
}

async function judge(family: AdapterFamily, chunks: readonly Buffer[], isStream: boolean): Promise<Judged | string> {
  try {
    return await family.judge(chunks, isStream);
  } catch (cause) {
    return `it threw ${cause instanceof Error ? (cause.stack?.split("\n").slice(0, 4).join(" ") ?? cause.message) : String(cause)}`;
  }
}

export interface FuzzSettings {
  seed: number;
  draws: number;
  /** The fuzz ends when so many went wrong. */
  mostFindings?: number;
}

/** Lets a family judge so many mutants, every other one streamed. */
export async function fuzzFamily(
  family: AdapterFamily,
  { seed, draws, mostFindings = 3 }: FuzzSettings,
): Promise<FuzzReport> {
  const report = {
    draws: 0,
    fates: { there: 0, gone: 0, unknown: 0 },
    seen: 0,
    errored: 0,
    slowestMs: 0,
    mostKept: 0,
  };
  keptMiB();
  const findings: Finding[] = [];
  for (let draw = 0; draw < draws && findings.length < mostFindings; draw += 1) {
    const isStream = draw % 2 === 1;
    const drawAgain = (allowed: ReadonlySet<number> | null): Mutant => {
      const dice = createDice(family.name, seed, draw);
      const drawn = drawMutant(family.replyOf(drawAnswer(dice), isStream, dice), dice, allowed);
      return family.isCallElsewhere === true ? { ...drawn, fate: "there" } : drawn;
    };
    const mutant = drawAgain(null);
    const timed = async (): Promise<{ judged: Judged | string; tookMs: number }> => {
      const startedAt = performance.now();
      const judged = await judge(family, mutant.chunks, isStream);
      return { judged, tookMs: performance.now() - startedAt };
    };
    const first = await timed();
    const { judged } = first;
    // A machine that was busy with something else is so once, a slow reply each time.
    const tookMs = first.tookMs > mostMs ? Math.min(first.tookMs, (await timed()).tookMs) : first.tookMs;
    report.draws += 1;
    report.fates[mutant.fate] += 1;
    report.slowestMs = Math.max(report.slowestMs, tookMs);
    if (draw % 16 === 0) report.mostKept = Math.max(report.mostKept, keptMiB());
    if (typeof judged !== "string" && judged.error !== null) report.errored += 1;
    if (typeof judged !== "string" && judged.forbidding["tool_not_called"] === "failed") report.seen += 1;
    const problem =
      typeof judged === "string"
        ? judged
        : tookMs > mostMs
          ? `it took ${Math.round(tookMs)} ms`
          : report.mostKept > mostKeptMiB
            ? `${Math.round(report.mostKept)} MiB more are in use than at the start`
            : problemOf(family, mutant, judged);
    if (problem === null) continue;
    const isWrong = async (one: Mutant): Promise<boolean> => {
      const again = await judge(family, one.chunks, isStream);
      return typeof again === "string" || problemOf(family, one, again) !== null;
    };
    const smallest = await shrinkReply(mutant, drawAgain, isWrong);
    const reply = [Buffer.concat(smallest.chunks).toString("utf8")];
    findings.push({ family: family.name, seed, draw, isStream, problem, steps: smallest.steps, reply });
  }
  return { ...report, findings };
}
