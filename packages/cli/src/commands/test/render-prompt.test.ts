import type { RoundWork } from "@kindlm/core/commands/watch-tests";
import { expect, it } from "vitest";
import { textWidth } from "../../terminal/text-width.js";
import { renderPrompt, renderRule, usd, type PromptState } from "./render-prompt.js";

const nothing: RoundWork = {
  cases: 0,
  newCases: 0,
  trials: 0,
  judged: 0,
  agents: [],
  judges: [],
  costUsd: 0,
  unknown: 0,
};
const waiting: RoundWork = { ...nothing, cases: 12, trials: 60, agents: ["gpt"], costUsd: 0.112 };

const stateWith = (work: Partial<RoundWork>, more: Partial<PromptState> = {}): PromptState => ({
  outlook: { free: nothing, waiting: { ...nothing, ...work }, taken: 21, cases: 21, errored: 0 },
  again: "changed",
  files: ["/project/prompt.md"],
  text: null,
  onlyFailed: false,
  isSkipped: false,
  typed: null,
  question: null,
  spentUsd: 0.18,
  limitUsd: 1,
  hasKeys: true,
  isFrugal: false,
  ...more,
});

it("shows what waits in 80 columns as the specification draws it", () => {
  expect(renderPrompt(stateWith(waiting), 80)).toEqual([
    "12 cases changed: prompt.md   60 trials of gpt, about $0.11 · $0.18 of $1 spent",
    "  enter run   space one trial each   t filter   esc skip",
  ]);
});

it.each<[what: string, head: string, state: PromptState]>([
  ["nothing", "Waiting for changes · 21 cases · $0.18 of $1 spent", stateWith({})],
  ["skipped work", "Waiting for changes · 21 cases · $0.18 of $1 spent", stateWith(waiting, { isSkipped: true })],
  ["no config", "Waiting for a config that can be used", stateWith({}, { outlook: null })],
  [
    "new cases",
    "1 new case   5 trials of gpt and own, cost unknown · $0.18 of $1 spent",
    stateWith({ cases: 1, newCases: 1, trials: 5, agents: ["gpt", "own"], unknown: 1 }),
  ],
  [
    "several files",
    "2 cases changed: a.md, b.md and 1 more   4 answers to evaluate by critic, about $0.0040 · $0.18 of $1 spent",
    stateWith(
      { cases: 2, judged: 4, judges: ["critic"], costUsd: 0.004 },
      { files: ["/p/a.md", "/p/b.md", "/p/c.md"] },
    ),
  ],
  [
    "filters",
    '12 cases changed: prompt.md [only failed, "refund"]   60 trials of gpt, about $0.11 · $0.18 of $1 spent',
    stateWith(waiting, { text: "refund", onlyFailed: true }),
  ],
  [
    "filters while nothing waits",
    'Waiting for changes · 3 of 21 cases ["refund"] · $0.18 of $1 spent',
    stateWith({}, { text: "refund", outlook: { free: nothing, waiting: nothing, taken: 3, cases: 21, errored: 0 } }),
  ],
  [
    "a part of the prices",
    "3 cases again   9 trials of 3 models, $0.11 and 1 case of unknown cost · $0.18 of $1 spent",
    stateWith({ cases: 3, trials: 9, agents: ["a", "b", "c"], costUsd: 0.11, unknown: 1 }, { again: "all" }),
  ],
  [
    "free work",
    "2 cases to run   2 trials of own, free · $0 of $1 spent",
    stateWith({ cases: 2, trials: 2, agents: ["own"] }, { files: [], spentUsd: 0 }),
  ],
])("shows %s", (_, head, state) => {
  expect(renderPrompt(state, 200)[0]).toBe(head);
});

it.each([20, 40, 60, 80])("fits into %i columns, whatever is in it", (width) => {
  const hostile = { files: ["/p/a\u001b[31m東京東京東京東京東京東京.md"], text: "👨‍👩‍👧‍👦".repeat(30) };
  const states = [stateWith(waiting, hostile), stateWith({}, hostile), stateWith({}, { typed: hostile.text })];
  for (const line of states.flatMap((state) => renderPrompt(state, width))) {
    expect(line).not.toContain("\u001b");
    expect(textWidth(line)).toBeLessThan(Math.max(21, width));
  }
  expect(textWidth(renderRule("10:00:00", hostile.text, width))).toBeLessThan(Math.max(21, width));
});

it("says why nothing will run where nobody can press a key", () => {
  expect(renderPrompt(stateWith(waiting, { hasKeys: false }), 80)[1]).toContain("Nothing is sent without a key");
  expect(renderPrompt(stateWith(waiting, { hasKeys: false, isFrugal: true }), 80)[1]).toContain("--spend never");
  expect(renderPrompt(stateWith({}, { hasKeys: false }), 80)).toHaveLength(1);
});

it.each([
  [0, "$0"],
  [1, "$1"],
  [0.18, "$0.18"],
  [0.0012, "$0.0012"],
  [12.5, "$12.50"],
])("writes %d dollars as %s", (amount, written) => expect(usd(amount)).toBe(written));
