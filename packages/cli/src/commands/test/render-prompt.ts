import { plural, visibleLine, withCounts } from "@kindlm/core/program";
import type { Again, Outlook, RoundWork } from "@kindlm/core/commands/watch-tests";
import { basename } from "node:path";
import { fitWidth, textWidth } from "../../terminal/text-width.js";

export interface PromptState {
  /** Null while the config cannot be used. */
  outlook: Pick<Outlook, "free" | "waiting" | "taken" | "cases" | "errored"> | null;
  again: Again;
  /** What changed since the last round, absolute. */
  files: readonly string[];
  /** The text that case IDs are filtered by; null for none. */
  text: string | null;
  /** Whether only cases run that did not pass. */
  onlyFailed: boolean;
  /** The work that waits was put off. */
  isSkipped: boolean;
  /** That case IDs will be filtered by; null unless it is being typed. */
  typed: string | null;
  /** Waits for Enter; null for none. */
  question: string | null;
  spentUsd: number;
  limitUsd: number;
  /** Whether anybody can press a key. */
  hasKeys: boolean;
  /** `--spend never`: nothing that may cost money is ever run. */
  isFrugal: boolean;
}

/** What is shown under the last report while nothing runs: what waits and what it costs, and the keys that apply. */
export function renderPrompt(state: PromptState, width: number): readonly string[] {
  const room = Math.max(20, width - 1);
  const fit = (lines: readonly string[]): readonly string[] => lines.map((line) => fitWidth(line, room));
  if (state.typed !== null) {
    return fit([
      `Run only cases with this text or /regex/ in their ID: ${visibleLine(state.typed)}▏`,
      hintsOf(["enter apply", "esc cancel"], room),
    ]);
  }
  if (state.question !== null) return fit([state.question, hintsOf(["enter yes", "esc no"], room)]);
  const work = pendingWork(state);
  if (work === null) return fit([idleLine(state), ...(state.hasKeys ? [hintsOf(idleKeys, room)] : [])]);
  const [left, right] = [changeOf(state, work), `${priceOf(work)} · ${moneyOf(state)}`];
  const joined = `${left}   ${right}`;
  const head = textWidth(joined) <= room ? [joined] : [left, `  ${right}`];
  return fit([...head, ...(state.hasKeys ? [hintsOf(workKeys(state), room)] : [unattended(state)])]);
}

const idleKeys = ["? keys", "f only failed", "t filter", "a all again", "o open", "q quit"];

/** As many of the hints as fit. */
function hintsOf(hints: readonly string[], room: number): string {
  const fitting = hints.filter((_, index) => textWidth(hints.slice(0, index + 1).join("   ")) + 2 <= room);
  return `  ${fitting.join("   ")}`;
}

export const keyHelp: readonly string[] = [
  "enter   run what waits, or look for changes   space   run one trial of each case",
  "esc     skip what waits                       a       run all again, after a question",
  "e       run errored cases again               f       run only cases that did not pass",
  "t       filter cases by text or /regex/       c       clear the filters",
  "1–9     show a failure                        o       open the report",
  "b       save the results as baselines         q       quit, as Ctrl-C does",
];

function workKeys({ isFrugal, text, onlyFailed }: PromptState): readonly string[] {
  const run = isFrugal ? [] : ["enter run", "space one trial each"];
  const clear = text !== null || onlyFailed ? ["c clear filters"] : [];
  return [...run, "t filter", ...clear, "esc skip"];
}

function unattended({ isFrugal }: PromptState): string {
  if (isFrugal) return "  --spend never leaves it out";
  return "  Nothing is sent without a key. Use a terminal, or --spend auto";
}

/** Null if nothing waits. */
function pendingWork({ outlook, isSkipped }: PromptState): RoundWork | null {
  if (outlook === null || isSkipped) return null;
  const { free, waiting } = outlook;
  const cases = free.cases + waiting.cases;
  if (cases === 0) return null;
  return {
    cases,
    newCases: free.newCases + waiting.newCases,
    trials: free.trials + waiting.trials,
    judged: free.judged + waiting.judged,
    agents: [...new Set([...free.agents, ...waiting.agents])],
    judges: [...new Set([...free.judges, ...waiting.judges])],
    costUsd: free.costUsd + waiting.costUsd,
    unknown: waiting.unknown,
  };
}

function changeOf(state: PromptState, { cases, newCases }: RoundWork): string {
  const { again, files } = state;
  if (again === "all") return `${plural(cases, "case")} again${filtersOf(state)}`;
  if (again === "errored") return `${plural(cases, "errored case")} again${filtersOf(state)}`;
  if (newCases === cases) return `${plural(cases, "new case")}${filtersOf(state)}`;
  if (files.length === 0) return `${plural(cases, "case")} to run${filtersOf(state)}`;
  return `${plural(cases, "case")} changed: ${namesOfFiles(files)}${filtersOf(state)}`;
}

/** At most two of the files, without their folders. */
export function namesOfFiles(files: readonly string[]): string {
  const names = files.slice(0, 2).map((file) => visibleLine(basename(file)));
  const more = files.length > names.length ? ` and ${files.length - names.length} more` : "";
  return names.join(", ") + more;
}

function filtersOf({ text, onlyFailed }: PromptState): string {
  const filters = [...(onlyFailed ? ["only failed"] : []), ...(text === null ? [] : [`"${visibleLine(text)}"`])];
  return filters.length === 0 ? "" : ` [${filters.join(", ")}]`;
}

function priceOf({ cases, trials, judged, agents, judges, costUsd, unknown }: RoundWork): string {
  const parts: string[] = [];
  if (trials > 0) parts.push(`${plural(trials, "trial")}${namesOf(agents, "of", "models")}`);
  if (judged > 0) parts.push(`${plural(judged, "answer")} to evaluate${namesOf(judges, "by", "judges")}`);
  return `${parts.join(" and ")}, ${costOf(costUsd, unknown, cases)}`;
}

function namesOf(names: readonly string[], word: string, many: string): string {
  if (names.length === 0) return "";
  return ` ${word} ${names.length > 2 ? withCounts`${names.length} ${many}` : names.map(visibleLine).join(" and ")}`;
}

function costOf(costUsd: number, unknown: number, cases: number): string {
  if (unknown === cases) return "cost unknown";
  if (unknown === 0 && costUsd === 0) return "free";
  return unknown === 0 ? `about ${usd(costUsd)}` : `${usd(costUsd)} and ${plural(unknown, "case")} of unknown cost`;
}

function idleLine(state: PromptState): string {
  const { outlook } = state;
  if (outlook === null) return "Waiting for a config that can be used";
  const { taken, cases, errored } = outlook;
  const filters = filtersOf(state);
  const what = filters === "" ? plural(cases, "case") : withCounts`${taken} of ${plural(cases, "case")}`;
  const waits = errored === 0 || !state.hasKeys ? "" : withCounts` · ${errored} errored, e runs them again`;
  return `Waiting for changes · ${what}${filters}${waits} · ${moneyOf(state)}`;
}

function moneyOf({ spentUsd, limitUsd }: PromptState): string {
  return `${usd(spentUsd)} of ${usd(limitUsd)} spent`;
}

/** With as many decimals as tell amounts of this size apart. */
export function usd(amount: number): string {
  if (amount === 0 || (Number.isInteger(amount) && amount < 100)) return `$${amount}`;
  return `$${amount.toFixed(amount >= 0.1 ? 2 : 4)}`;
}

/** A line across the terminal, with when and why the round below it was run. */
export function renderRule(time: string, why: string, width: number): string {
  const head = fitWidth(`── ${time} · ${why} `, Math.max(20, width - 1));
  return head + "─".repeat(Math.max(0, Math.min(width, 100) - 1 - textWidth(head)));
}
