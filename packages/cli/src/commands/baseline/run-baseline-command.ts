import {
  compareWithBaselines,
  didYouMean,
  listBaselines,
  removeBaselines,
  reportedComparison,
  renderComparisonText,
  setBaselines,
  showBaseline,
  type BaselineQuestion,
  type Environment,
  type Result,
  type SetBaselinesOptions,
  type ShownBaseline,
} from "@kindlm/core";
import { errorViewOf } from "../../error-view.js";
import { renderError, renderWarning } from "../../render-error.js";
import { renderOptionsFor } from "../../reports/render-options.js";
import { UsageError } from "../../usage-error.js";
import type { Invocation } from "../command-definition.js";
import { checkBaselineFlags } from "./check-baseline-flags.js";
import type { BaselineFlags } from "./command.js";
import { renderListings, renderShown } from "./render-baselines.js";
import { renderSet } from "./render-set.js";
import { reportedListing, reportedSet } from "./reported-baselines.js";

/** What every action works on. */
interface Asked {
  invocation: Invocation;
  flags: BaselineFlags;
  question: BaselineQuestion;
  /** What stands behind the action. */
  names: readonly string[];
  world: Environment;
}

interface Answer {
  text: string;
  data: unknown;
  exitCode: 0 | 1;
}

const actions = { set, compare, list, show, remove };
export type BaselineAction = keyof typeof actions;

/** Exit code 1 where something could not be done, where a run is worse than its baseline, and where one is damaged. */
export async function runBaselineCommand(invocation: Invocation): Promise<number> {
  const { args, global, environment } = invocation;
  const { stdout, stderr, core: world } = environment;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- commander has no types for parsed flags
  const flags = invocation.options as unknown as BaselineFlags;
  const [written = "list", ...names] = args;
  const action = actionOf(written);
  checkBaselineFlags(action, flags, names);
  const question = { paths: global.config, ...(flags.root === undefined ? {} : { root: flags.root }) };
  const answer = await actions[action]({ invocation, flags, question, names, world });
  if (!answer.success) {
    await stderr.write(renderError(answer.error, errorViewOf(invocation)));
    return 1;
  }
  const { text, data, exitCode } = answer.data;
  const problem = await stdout.write(
    flags.json ? `${JSON.stringify(data, null, 2)}\n` : text,
    flags.json ? "json" : "text",
  );
  if (problem === null) return exitCode;
  await stderr.write(`✗ The output could not be written: ${problem}\n`);
  return 1;
}

function actionOf(written: string): BaselineAction {
  if (Object.hasOwn(actions, written)) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is a key of it
    return written as BaselineAction;
  }
  const fix = didYouMean(written, Object.keys(actions)) ?? `Known: ${Object.keys(actions).join(", ")}`;
  throw new UsageError(`kindlm baseline does not know "${written}"`, fix);
}

async function set({ invocation, flags, question, world }: Asked): Promise<Result<Answer>> {
  const { suite: suites, allowErrored, withOutputs, prune, dryRun, run, note } = flags;
  const options: SetBaselinesOptions = { ...question, suites, allowErrored, withOutputs, prune, dryRun };
  if (run !== undefined) options.run = run;
  if (note !== undefined) options.note = note;
  const done = await setBaselines(options, world);
  if (!done.success) return done;
  const [first] = done.data.ignored;
  if (first !== undefined) {
    const { stderr } = invocation.environment;
    const title = `Git ignores ${first}, so that nobody else will have it`;
    const fix = "Take .kindlm out of .gitignore: of what is in it, the runs are left out of commits anyway";
    await stderr.write(renderWarning({ title, fix }, errorViewOf(invocation)));
  }
  const text = renderSet(done.data, { dryRun, names: invocation.global.verbose });
  return answered(text, reportedSet(done.data, dryRun));
}

async function compare({ invocation, flags, question, world }: Asked): Promise<Result<Answer>> {
  const { run } = flags;
  const compared = await compareWithBaselines(run === undefined ? question : { ...question, run }, world);
  if (!compared.success) return compared;
  const { comparison } = compared.data;
  const options = renderOptionsFor(invocation, question.paths)(invocation.environment.stdout);
  const isUnusable = comparison.suites.some(({ status }) => status === "unreadable");
  const isBad = comparison.verdict === "regressed" || isUnusable;
  const data = { run: compared.data.run, ...reportedComparison(comparison, options) };
  return answered(renderComparisonText(comparison, options), data, isBad ? 1 : 0);
}

async function list({ question, world }: Asked): Promise<Result<Answer>> {
  const listed = await listBaselines(question, world);
  if (!listed.success) return listed;
  const isBad = listed.data.some(({ problem }) => problem !== null);
  return answered(renderListings(listed.data), listed.data.map(reportedListing), isBad ? 1 : 0);
}

async function show({ names, question, world }: Asked): Promise<Result<Answer>> {
  const [suite = "", pattern] = names;
  const shown = await showBaseline({ ...question, suite }, world);
  if (!shown.success) return shown;
  const chosen = pattern === undefined ? shown.data : onlyCases(shown.data, pattern);
  return answered(renderShown(chosen), chosen);
}

/** The case of that id, else all whose ids hold the text. */
function onlyCases(shown: ShownBaseline, pattern: string): ShownBaseline {
  const exact = shown.cases.filter(({ caseId }) => caseId === pattern);
  const cases = exact.length > 0 ? exact : shown.cases.filter(({ caseId }) => caseId.includes(pattern));
  if (cases.length > 0) return { ...shown, cases };
  const ids = shown.cases.map(({ caseId }) => caseId);
  const fix = didYouMean(pattern, ids) ?? `Write: kindlm baseline show ${shown.header.suite}`;
  throw new UsageError(`The baseline has no case with "${pattern}" in its id`, fix);
}

async function remove({ names, flags, question, world }: Asked): Promise<Result<Answer>> {
  const { dryRun } = flags;
  const removed = await removeBaselines({ ...question, suites: names, dryRun }, world);
  if (!removed.success) return removed;
  const text = removed.data.map((file) => `${dryRun ? "Would remove" : "Removed"} ${file}\n`).join("");
  return answered(text, { dryRun, removed: removed.data });
}

function answered(text: string, data: unknown, exitCode: 0 | 1 = 0): Result<Answer> {
  return { success: true, data: { text, data, exitCode } };
}
