import { expect, it } from "vitest";
import { sampleEntry } from "./__fixtures__/sample-baseline.js";
import type { Effort } from "../engine/effort.js";
import { decideUpdate } from "./update-entries.js";

const effort = (more: Partial<Effort> = {}): Effort => ({
  trials: 1,
  costUsd: 0.2,
  tokens: 10,
  latencyMs: 5,
  turns: 1,
  toolCalls: 0,
  ...more,
});
const present = new Map(["a", "b", "c", "d"].map((caseId) => [caseId, sampleEntry(caseId)]));

it("takes what a run came to and keeps all else, whatever went wrong in the run", () => {
  const fresh = [
    sampleEntry("a", { latencyMs: 9, costUsd: 9 }),
    sampleEntry("b", { passes: 0, isPassed: false }),
    sampleEntry("e"),
  ];
  const { entries, ...changes } = decideUpdate({
    present,
    fresh,
    isGone: (caseId) => caseId === "d" || caseId === "a",
  });
  expect(changes).toEqual({ added: ["e"], updated: ["b"], unchanged: ["a"], kept: ["c"], pruned: ["d"], refused: [] });
  expect([...entries.keys()].toSorted()).toEqual(["a", "b", "c", "e"]);
  expect(entries.get("a")).toBe(present.get("a"));
  expect(entries.get("b")).toBe(fresh[1]);
});

it.each([
  { passes: 3 },
  { trials: 4 },
  { required: 3 },
  { checkHash: "x" },
  { agentHash: "x" },
  { calls: [] },
  { outputHash: "x" },
  { servedBy: "x" },
  { scores: {} },
  { deterministic: true as const },
  { effort: effort({ tokens: 11 }) },
  { effort: effort({ costUsd: 0.3 }) },
])("takes a change of %j for one", (change) => {
  const decided = decideUpdate({ present, fresh: [sampleEntry("a", change)], isGone: () => false });
  expect(decided.updated).toEqual(["a"]);
});

it("keeps an entry where only the time or the run is another", () => {
  const before = sampleEntry("a", { effort: effort(), runs: ["one"] });
  const fresh = [sampleEntry("a", { effort: effort({ latencyMs: 9 }), runs: ["two"] })];
  expect(decideUpdate({ present: new Map([["a", before]]), fresh, isGone: () => false }).unchanged).toEqual(["a"]);
});
