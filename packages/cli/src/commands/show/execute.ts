import type { RunResult, TestResult, TrialResult } from "@kindlm/core";
import { didYouMean, maskFor, plural, redactValue, withCounts } from "@kindlm/core/program";
import { loadRun } from "@kindlm/core/commands/runs";
import { quoteArgument } from "../../arguments/quote-argument.js";
import { findCauses } from "../../findings/find-causes.js";
import { findKinds, type FailureKind } from "../../findings/find-kinds.js";
import { UsageError } from "../../errors/usage-error.js";
import { shownLine } from "../../terminal/signs.js";
import type { TranscriptView } from "../../transcript/transcript-view.js";
import { headLine, renderCase, transcriptViewOf } from "../../transcript/render-case.js";
import type { InvocationOf } from "../command-definition.js";
import { given } from "../given.js";
import { printAnswer, printError } from "../print-answer.js";
import type { showCommand } from "./command.js";
import { listCases, listFindings } from "./list-findings.js";

/** Exit code 0 says that something was shown, whatever became of it. */
export async function execute(invocation: InvocationOf<typeof showCommand>): Promise<number> {
  const { args, flags, global, environment } = invocation;
  const view = transcriptViewOf(invocation);
  const project = { paths: global.config, ...given({ root: flags.root, run: flags.run }) };
  const loaded = await loadRun(project, environment);
  if (!loaded.success) return printError(invocation, loaded.error);
  const { result, findTrials } = loaded.data;
  const found = await findTrials();
  if (!found.success) return printError(invocation, found.error);
  const [wanted] = args;
  const list = { view, showAll: findShowAll(invocation) };
  if (wanted === undefined) return printAnswer(invocation, await listFindings(result, list));
  const { cases, kind } = await selectCases(result, wanted, view);
  const [test] = cases;
  if (test === undefined || (cases.length > 1 && kind === null)) {
    return printAnswer(invocation, await listCases(cases, result, list));
  }
  const trials = await readTrials(result, test, flags.trial);
  const head = kind === null ? "" : renderKindHead(kind, flags.all ? Number.POSITIVE_INFINITY : mostOthers, view);
  const text = head + renderCase(test, trials, { all: flags.all, first: kind?.cases[0].trial ?? null, view });
  const masked = trials.map((trial) => redactValue(trial, maskFor(trial.assertions, view.redact)));
  const data = { run: result.run.id, id: test.id, status: test.status, ...reportedKind(kind), trials: masked };
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

/** The cases of a kind of failure in the order of the config, or those that a word stands for. */
interface Selection {
  cases: readonly TestResult[];
  kind: FailureKind | null;
}

/**
 * The cases that a word stands for: the number of a kind of failure, an ID, or a part of IDs. In a run without failures
 * a number is that of a cause of errors. Throws a UsageError if there is none.
 */
async function selectCases(result: RunResult, wanted: string, { redact }: TranscriptView): Promise<Selection> {
  const tests = result.suites.flatMap((suite) => suite.tests);
  const exact = tests.filter(({ id }) => id === wanted);
  if (exact.length > 0) return { cases: exact, kind: null };
  const matching = tests.filter(({ id }) => id.includes(wanted));
  if (/^\d+$/.test(wanted)) {
    const kinds = await findKinds(result, redact);
    const kind = kinds[Number(wanted) - 1];
    if (kind !== undefined) return { cases: kind.cases.map(({ test }) => test), kind };
    const cause = kinds.length > 0 ? undefined : findCauses(result, { redact })[Number(wanted) - 1];
    if (cause !== undefined) return { cases: cause.cases.slice(0, 1), kind: null };
    if (matching.length === 0) {
      const known = kinds.length === 0 ? "No case failed" : `It has ${plural(kinds.length, "kind")} of failures`;
      throw new UsageError(`Run ${result.run.id} has no kind ${wanted} of failures`, known);
    }
  }
  if (matching.length > 0) return { cases: matching, kind: null };
  const ids = tests.map(({ id }) => id);
  const names = tests.map(({ name }) => name);
  const fix = didYouMean(wanted, ids) ?? didYouMean(wanted, names) ?? "List all cases: kindlm test --list";
  throw new UsageError(`No case of run ${result.run.id} matches "${wanted}"`, fix);
}

/** What is known of the kind without its transcripts. */
function reportedKind(kind: FailureKind | null): { kind?: object } {
  if (kind === null) return {};
  return { kind: { number: kind.number, title: kind.title, cases: kind.cases.map(({ test: { id } }) => id) } };
}

/** The command that lists all cases; null for a file or a program, which get the whole list at once. */
function findShowAll({ args, flags, global, environment }: InvocationOf<typeof showCommand>): string | null {
  if (flags.all || !environment.stdout.isTerminal) return null;
  const { run, root } = flags;
  const project = [
    ...global.config.flatMap((path) => ["-c", path]),
    ...(root === undefined ? [] : ["--root", root]),
    ...(run === undefined ? [] : ["--run", run]),
  ];
  return environment.asTyped(["kindlm show", ...[...args, ...project].map(quoteArgument), "--all"].join(" "));
}

/** The kind that a case stands for, and at most this many other cases of it. */
function renderKindHead({ number, title, cases }: FailureKind, most: number, view: TranscriptView): string {
  const { palette } = view;
  const lines = headLine(`${palette.red("✗")} ${number}  `, palette.bold(shownLine(title, view.ascii)), view);
  const [, ...others] = cases.map(({ test }) => shownLine(view.redact(test.id), view.ascii));
  if (others.length > 0) {
    const shown = others.slice(0, most).join(", ");
    const more = others.length > most ? withCounts`, and ${others.length - most} more` : "";
    lines.push(...headLine(" ".repeat(String(number).length + 4), palette.dim(`also ${shown}${more}`), view));
  }
  return `${lines.join("\n")}\n\n`;
}

const mostOthers = 8;
