import { expect, it } from "vitest";
import { erroredCase, failedCase, passedCase, skippedCase } from "../__fixtures__/sample-run.js";
import { kindlmError } from "../errors/kindlm-error.js";
import type { TestResult } from "../engine/run-result.js";
import { PackedCases } from "./packed-cases.js";

const many = Array.from({ length: 300 }, (_, index): TestResult => {
  if (index % 50 === 7) return failedCase(`case ${index}`, { row: "✗ \\n" });
  if (index % 50 === 9) return erroredCase(`case ${index}`, kindlmError("PROVIDER_TIMEOUT", "no"));
  return index % 50 === 11 ? skippedCase(`case ${index}`) : passedCase(`case ${index}`, { tags: ["東京", "a\nb"] });
});

function pack(room: { left: number }): PackedCases {
  const packed = new PackedCases(room);
  for (const test of many) packed.add(test, JSON.stringify(test));
  return packed;
}

it.each([0, 40, 1_000])("gives back all cases in their order, with room for %i of them", (left) => {
  const packed = pack({ left });
  expect([...packed.list(0, 300)]).toEqual(many);
  expect([...packed.list(120, 7)]).toEqual(many.slice(120, 127));
  const list = packed.list(0, 300);
  // Back and forth, over the borders of what is packed together.
  for (const index of [299, 0, 64, 63, 128, 63, 299]) expect(list[index]).toEqual(many[index]);
});

it("holds what did not pass, which reports know by their objects, and makes the others again", () => {
  const list = pack({ left: 0 }).list(0, 300);
  for (const index of [7, 9, 57, 259]) expect(list[index]).toBe(many[index]);
  expect(list[0]).not.toBe(list[0]);
});

it("takes its room from what all shards have together", () => {
  const room = { left: 400 };
  const first = pack(room).list(0, 300);
  expect(first[0]).toBe(many[0]);
  const second = pack(room).list(0, 300);
  expect([second[0] === many[0], second[299] === many[299]]).toEqual([true, false]);
});
