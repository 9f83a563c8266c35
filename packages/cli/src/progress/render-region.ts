import { renderDuration, withCounts } from "@kindlm/core/program";
import type { Colors } from "../terminal/colors.js";
import type { Signs } from "../terminal/signs.js";
import { fitMiddle, fitWidth, padWidth, textWidth } from "../terminal/text-width.js";
import type { RunProgress } from "./run-progress.js";
import { renderWait, type RunningTrial } from "./running-trials.js";

export interface RegionSettings {
  now: number;
  columns: number;
  rows: number;
  colors: Colors;
  signs: Signs;
  /** A person has asked the run to end. */
  isStopping: boolean;
  /** Makes untrusted text fit to be shown on one line. */
  safe(text: string): string;
}

/** Wider lines would wrap on some terminals, and be wrapped by others when they are made narrower. */
const mostColumns = 79;
const barColumns = 50;
/** Before what a trial waits for. */
const gap = "    ";
/** At least; for how long a trial has run. */
const elapsedColumns = 6;
/** So much is left to what a trial waits for, so that ids do not change their width all the time. */
const leastOfWait = 24;

/** Whether there is room for the region at all. */
export function hasRoom({ columns, rows }: { columns: number; rows: number }): boolean {
  return columns >= 40 && rows >= 5;
}

/**
 * The lines of the live region: how far the run is, its counters, and the trials that have run longest. `counters` are
 * lines about cases that failed alike.
 */
export function renderRegion(
  state: RunProgress,
  counters: (room: number) => readonly string[],
  settings: RegionSettings,
): readonly string[] {
  const { rows } = settings;
  const room = Math.min(mostColumns, settings.columns - 1);
  const alike = rows >= 12 ? counters(room).slice(0, 2) : [];
  const most = rows >= 12 ? Math.min(8, rows - 6 - alike.length) : rows >= 8 ? 2 : 0;
  const running = most === 0 ? [] : state.running.inOrder();
  // The line for "1 more" has room for that one.
  const shown = running.length === most + 1 ? running : running.slice(0, most);
  const left = running.length - shown.length;
  const more = left === 0 ? [] : [settings.colors.dim(withCounts`${" ".repeat(elapsedColumns)}  and ${left} more`)];
  const facts = [renderBar(state, room, settings), renderFacts(state, room - 1, settings)];
  return [...alike, ...facts, ...renderTrials(state, shown, room, settings), ...more];
}

function renderBar(state: RunProgress, room: number, { now, colors, signs, isStopping }: RegionSettings): string {
  const done = withCounts`${state.doneTrials}/${state.trials}`;
  const left = isStopping ? "stopping, Ctrl-C again to quit" : renderLeft(state, now);
  const facts = left === null ? done : `${done} ${signs.dot} ${left}`;
  const fits = textWidth(facts) + 12 <= room ? facts : done;
  const length = Math.min(barColumns, room - textWidth(fits) - 2);
  const { passed, failed, errored } = state.ended;
  const total = Math.max(1, state.trials);
  const [full, half, rest] = signs.bar;
  let bar = "";
  let cells = 0;
  let trials = 0;
  for (const [count, color] of [
    [passed, colors.green],
    [failed, colors.red],
    [errored, colors.magenta],
  ] as const) {
    trials += count;
    // Half cells in all up to here, so that the shares never add up to more than the bar.
    const upTo = Math.min(2 * length, Math.floor((2 * length * trials) / total));
    const end = trials === state.doneTrials ? Math.floor(upTo / 2) : Math.round(upTo / 2);
    const isHalf = trials === state.doneTrials && upTo % 2 === 1 && count > 0;
    const share = full.repeat(Math.max(0, end - cells)) + (isHalf ? half : "");
    bar += share === "" ? "" : color(share);
    cells = Math.max(cells, end + (isHalf ? 1 : 0));
  }
  const open = rest.repeat(Math.max(0, length - cells));
  return `${bar}${open === "" ? "" : colors.dim(open)}  ${fits}`;
}

/** About how long the run still takes; null while that is a guess. */
function renderLeft({ startedAt, doneTrials, carriedTrials, trials }: RunProgress, now: number): string | null {
  const elapsedMs = now - startedAt;
  const ran = doneTrials - carriedTrials;
  const asked = trials - carriedTrials;
  if (elapsedMs < 3_000 || ran === 0 || ran < asked * 0.05 || doneTrials >= trials) return null;
  const leftMs = (elapsedMs / ran) * (trials - doneTrials);
  const unitMs = leftMs < 57_500 ? 5_000 : 60_000;
  return `about ${renderDuration(Math.max(1, Math.round(leftMs / unitMs)) * unitMs)} left`;
}

function renderFacts(state: RunProgress, room: number, { now, colors, signs }: RegionSettings): string {
  const { costUsd, maxCostUsd, running, concurrency } = state;
  const dot = ` ${signs.dot} `;
  const counts = renderCounts(state, colors, dot);
  const facts = [renderElapsed(now - state.startedAt)];
  if (costUsd > 0 || maxCostUsd !== null) {
    const of = maxCostUsd === null ? "" : ` of $${maxCostUsd}`;
    const money = `$${costUsd.toFixed(4)}${of}`;
    facts.push(maxCostUsd !== null && costUsd >= 0.8 * maxCostUsd ? colors.yellow(money) : money);
  }
  // A trial that has ended is under way until it is on the disk, when the next one runs already.
  facts.push(`${Math.min(running.size, concurrency)} of ${concurrency}`);
  for (const [provider, limit] of state.limits) {
    if (limit < concurrency) facts.push(colors.yellow(`${provider} ${limit} at a time`));
  }
  const fits = (): boolean => textWidth(counts) + 2 + textWidth(facts.join(dot)) <= room;
  while (facts.length > 1 && !fits()) facts.pop();
  if (!fits()) return fitWidth(counts, room);
  const right = facts.join(dot);
  return `${padWidth(counts, room - textWidth(right))}${right}`;
}

/** Cases by their verdict, each in its color; those that there are none of are left out. */
function renderCounts({ cases }: RunProgress, colors: Colors, separator: string): string {
  const { passed, failed, errored, skipped } = cases;
  const counts = [colors.green(withCounts`${passed} passed`)];
  if (failed > 0) counts.push(colors.red(withCounts`${failed} failed`));
  if (errored > 0) counts.push(colors.magenta(withCounts`${errored} errored`));
  if (skipped > 0) counts.push(colors.dim(withCounts`${skipped} skipped`));
  return counts.join(separator);
}

/** Trials in columns: how long they have run, which they are, and what they wait for. */
export function renderTrials(
  state: RunProgress,
  shown: readonly RunningTrial[],
  room: number,
  { now, colors, signs, safe }: Pick<RegionSettings, "now" | "colors" | "signs" | "safe">,
): string[] {
  const elapsed = shown.map(({ startedAt }) => renderElapsed(now - startedAt));
  const front = Math.max(elapsedColumns, ...elapsed.map((text) => text.length));
  const free = Math.max(0, room - front - 2 - gap.length);
  const names = shown.map(({ caseId, trial }) => ({ id: safe(caseId), number: ` #${trial}` }));
  const waits = shown.map((one) => {
    const turn = one.turn === 0 ? "" : `turn ${one.turn} ${signs.dot} `;
    return `${turn}${safe(renderWait(one, state.running, now))}`;
  });
  const mostOfId = Math.max(free - Math.max(leastOfWait, ...waits.map(textWidth)), Math.floor(free / 2));
  const idColumns = Math.min(mostOfId, Math.max(0, ...names.map(({ id, number }) => textWidth(id) + number.length)));
  const median = state.durations.median();
  return shown.map((one, index) => {
    const { id, number } = names[index] ?? { id: "", number: "" };
    const elapsedMs = now - one.startedAt;
    const clock = (elapsed[index] ?? "").padStart(front);
    const isSlow = median !== null && elapsedMs >= 5_000 && elapsedMs >= 3 * median;
    const name = padWidth(`${fitMiddle(id, idColumns - number.length)}${number}`, idColumns);
    const wait = fitWidth(waits[index] ?? "", free - idColumns);
    return `${isSlow ? colors.yellow(clock) : clock}  ${name}${gap}${colors.dim(wait)}`;
  });
}

/** In whole seconds. */
function renderElapsed(ms: number): string {
  const seconds = Math.floor(Math.max(0, ms) / 1_000);
  return seconds === 0 ? "0 s" : renderDuration(seconds * 1_000);
}

/** Such as `31/105 trials   6 passed · 2 failed   0 min 30 s`, with the cost at the right. */
export function renderCounter(state: RunProgress, room: number, { now, colors, signs }: RegionSettings): string {
  const seconds = Math.floor(Math.max(0, now - state.startedAt) / 1_000);
  const elapsed =
    seconds < 3_600 ? `${Math.floor(seconds / 60)} min ${seconds % 60} s` : renderDuration(seconds * 1_000);
  const counts = renderCounts(state, colors, ` ${signs.dot} `);
  const line = withCounts`  ${state.doneTrials}/${state.trials} trials   ${counts}   ${elapsed}`;
  if (state.costUsd === 0) return line;
  const cost = `$${state.costUsd.toFixed(4)}`;
  return `${padWidth(line, Math.max(textWidth(line) + 3, room - cost.length))}${cost}`;
}
