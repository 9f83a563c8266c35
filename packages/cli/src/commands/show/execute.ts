import type { RunResult, TestResult, TrialResult } from "@kindlm/core";
import {
  maskFor,
  redactValue,
  didYouMean,
  plural,
  renderDuration,
  visibleLine,
  failingAssertions,
} from "@kindlm/core/program";
import { loadRun } from "@kindlm/core/commands/runs";
import { UsageError } from "../../errors/usage-error.js";
import { createColors } from "../../terminal/colors.js";
import { columnsOf } from "../../terminal/columns.js";
import { wantsColor } from "../../terminal/wants-color.js";
import { type TranscriptView, drawTranscript } from "../../transcript/draw-transcript.js";
import type { InvocationOf } from "../command-definition.js";
import { given } from "../given.js";
import { printAnswer, printError } from "../print-answer.js";
import type { showCommand } from "./command.js";
import { renderExecution } from "../../reporters/render-execution.js";
import { hangWidth } from "../../terminal/text-width.js";

/** Exit code 0 says that something was shown, whatever became of it. */
export async function execute(invocation: InvocationOf<typeof showCommand>): Promise<number> {
  const { args, flags, global, environment } = invocation;
  const project = { paths: global.config, ...given({ root: flags.root, run: flags.run }) };
  const loaded = await loadRun(project, environment);
  if (!loaded.success) return printError(invocation, loaded.error);
  const { result, findTrials } = loaded.data;
  const { stdout, redactor } = environment;
  const view: TranscriptView = {
    palette: createColors(wantsColor(environment, stdout, global.color)),
    width: columnsOf(environment, stdout),
    redact: redactor.redact,
  };
  const cases = selectCases(result, args[0]);
  const [test] = cases;
  if (test === undefined) return printAnswer(invocation, { data: [], text: "Every case passed\n" });
  if (cases.length > 1) {
    const data = cases.map(({ id, status }) => ({ id, status }));
    return printAnswer(invocation, { data, text: renderCaseList(cases, args[0] === undefined, view) });
  }
  const found = await findTrials();
  if (!found.success) return printError(invocation, found.error);
  const trials = await readTrials(result, test, flags.trial);
  const text = renderCase(test, trials, { all: flags.all, view });
  const masked = trials.map((trial) => redactValue(trial, maskFor(trial.assertions, view.redact)));
  const data = { run: result.run.id, id: test.id, status: test.status, trials: masked };
  return printAnswer(invocation, { data, text });
}

/** The trials of a case, or one of them, masked as the whole report is. */
async function readTrials(result: RunResult, test: TestResult, wanted: number | undefined): Promise<TrialResult[]> {
  const trials: TrialResult[] = [];
  const numbers: number[] = [];
  for await (const trial of result.trials(test.id)) {
    numbers.push(trial.trial);
    if (wanted === undefined || trial.trial === wanted) trials.push(trial);
  }
  if (trials.length > 0 || wanted === undefined) return trials;
  const known = numbers.length === 0 ? "none" : new Intl.ListFormat("en").format(numbers.map(String));
  throw new UsageError(`Case ${test.id} has no trial ${wanted}`, `Its trials: ${known}`);
}

/**
 * The cases that a word stands for: a number in the list of those that did not pass, an ID, or a part of IDs. Without a
 * word those that did not pass. Throws a UsageError if there is none.
 */
function selectCases({ run, suites }: RunResult, wanted: string | undefined): readonly TestResult[] {
  const tests = suites.flatMap((suite) => suite.tests);
  const notPassed = tests.filter(({ status }) => status === "failed" || status === "errored");
  if (wanted === undefined) return notPassed;
  const exact = tests.filter(({ id }) => id === wanted);
  if (exact.length > 0) return exact;
  const matching = tests.filter(({ id }) => id.includes(wanted));
  if (/^\d+$/.test(wanted)) {
    const numbered = notPassed[Number(wanted) - 1];
    if (numbered !== undefined) return [numbered];
    if (matching.length === 0) {
      const what = notPassed.length === 0 ? "Every case passed" : `${plural(notPassed.length, "case")} did not pass`;
      throw new UsageError(`Run ${run.id} has no case ${wanted} in the list of those that did not pass`, what);
    }
  }
  if (matching.length > 0) return matching;
  const ids = tests.map(({ id }) => id);
  const names = tests.map(({ name }) => name);
  const fix = didYouMean(wanted, ids) ?? didYouMean(wanted, names) ?? "List all cases: kindlm test --list";
  throw new UsageError(`No case of run ${run.id} matches "${wanted}"`, fix);
}

const signs = { passed: "✓", failed: "✗", errored: "!", skipped: "–" } as const;

/** One line for each case, with the number that `kindlm show` takes if they are numbered. */
function renderCaseList(tests: readonly TestResult[], isNumbered: boolean, view: TranscriptView): string {
  const columns = String(tests.length).length;
  const lines = tests.map((test, index) => {
    const number = isNumbered ? `${String(index + 1).padStart(columns)}  ` : "";
    return `${number}${signOf(test.status, view)} ${visibleLine(view.redact(test.id))}`;
  });
  return `${lines.join("\n")}\n`;
}

/** What became of a case, and the transcripts of its trials: one for those that ended alike, or with `all` each. */
function renderCase(
  test: TestResult,
  trials: readonly TrialResult[],
  { all, view }: { all: boolean; view: TranscriptView },
): string {
  const { palette, redact } = view;
  const line = (text: string): string => visibleLine(redact(text));
  const { trials: how, help } = renderExecution(test);
  const facts = [test.status, how, ...help].filter((fact) => fact !== "").join(", ");
  const place = test.position === null ? [] : [`  ${palette.dim(line(`${test.position.file}:${test.position.line}`))}`];
  const groups = all ? trials.map((shown) => ({ shown, trials: [shown.trial] })) : groupTrials(trials);
  return `${[
    ...headLine(`${signOf(test.status, view)} `, `${palette.bold(line(test.id))}  ${facts}`, view),
    ...place,
    ...groups.flatMap((group) => ["", ...renderGroup(group, line, view), "", ...drawTranscript(group.shown, view)]),
  ].join("\n")}\n`;
}

function renderGroup({ shown, trials }: TrialGroup, line: (text: string) => string, view: TranscriptView): string[] {
  const { trial, status, durationMs, attempts, costUsd, servedBy, fresh } = shown;
  const alike =
    trials.length === 1 ? "" : ` · trials ${new Intl.ListFormat("en").format(trials.map(String))} ended alike`;
  const facts = [
    renderDuration(durationMs),
    plural(attempts, "request"),
    ...(costUsd === null ? [] : [`$${costUsd.toFixed(4)}`]),
    ...(servedBy === null ? [] : [servedBy]),
    ...(fresh === true ? ["confirmation"] : []),
  ];
  return [
    ...headLine(`${signOf(status, view)} `, `trial ${trial}: ${status}${alike}`, view),
    ...headLine("  ", view.palette.dim(line(facts.join(" · "))), view),
  ];
}

function headLine(sign: string, text: string, { width }: TranscriptView): string[] {
  return hangWidth(sign, text, width - 1);
}

function signOf(status: TestResult["status"], { palette }: TranscriptView): string {
  const paint = { passed: palette.green, failed: palette.red, errored: palette.magenta, skipped: palette.dim }[status];
  return paint(signs[status]);
}

/** Trials that ended alike, in the order of the first of each group. */
interface TrialGroup {
  /** Its transcript stands for all. */
  shown: TrialResult;
  /** Numbers of the trials, that of the shown one included. */
  trials: readonly number[];
}

/**
 * Groups trials with the same status, the same calls with the same arguments and outcomes, and the same failing
 * assertions. What the agent said may differ.
 */
function groupTrials(trials: readonly TrialResult[]): TrialGroup[] {
  const groups = new Map<string, { shown: TrialResult; trials: number[] }>();
  for (const trial of trials) {
    const key = pathOf(trial);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { shown: trial, trials: [trial.trial] });
    else group.trials.push(trial.trial);
  }
  return [...groups.values()];
}

function pathOf({ status, error, toolCalls, assertions }: TrialResult): string {
  const calls = toolCalls.map(({ tool, args, error: failure, fault }) => [tool, args, failure?.errorType, fault?.id]);
  return JSON.stringify([status, error?.code, calls, failingAssertions(assertions).map(({ type, id }) => [type, id])]);
}
