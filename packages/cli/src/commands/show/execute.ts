import type { RunResult, TestResult, TrialResult } from "@kindlm/core";
import { maskFor, redactValue } from "@kindlm/core/program";
import { loadRun } from "@kindlm/core/commands/runs";
import { UsageError } from "../../errors/usage-error.js";
import { createColors } from "../../terminal/colors.js";
import { columnsOf } from "../../terminal/columns.js";
import { wantsColor } from "../../terminal/wants-color.js";
import type { TranscriptView } from "../../transcript/draw-transcript.js";
import type { InvocationOf } from "../command-definition.js";
import { given } from "../given.js";
import { printAnswer, printError } from "../print-answer.js";
import type { showCommand } from "./command.js";
import { renderCase, renderCaseList } from "./render-case.js";
import { selectCases } from "./select-cases.js";

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
