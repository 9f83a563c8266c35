import { describe, expect, it } from "vitest";
import { frameOf, positionOf, type SourceText } from "./source-text.js";

const sourceOf = (text: string): SourceText => ({ path: "/a.yaml", file: "a.yaml", text, order: 0 });
const framed = (text: string, marked: string): readonly (readonly [number, string])[] => {
  const source = sourceOf(text);
  const start = text.indexOf(marked);
  return frameOf(source, positionOf(source, { start, end: start + marked.length })).map(({ line, text: shown }) => [
    line,
    shown,
  ]);
};

describe("frameOf", () => {
  it.each<[what: string, text: string, frame: readonly (readonly [number, string])[]]>([
    [
      "the line and the one before it",
      "a: 1\nb: 2\nc: HERE\nd: 3\n",
      [
        [2, "b: 2"],
        [3, "c: HERE"],
      ],
    ],
    ["the first line alone", "c: HERE\nd: 3\n", [[1, "c: HERE"]]],
    [
      "the last line, without a line feed",
      "b: 2\nc: HERE",
      [
        [1, "b: 2"],
        [2, "c: HERE"],
      ],
    ],
    ["no empty line before it", "b: 2\n  \nc: HERE\n", [[3, "c: HERE"]]],
    [
      "no carriage return",
      "b: 2\r\nc: HERE\r\n",
      [
        [1, "b: 2"],
        [2, "c: HERE"],
      ],
    ],
    ["a long line cut", `c: HERE ${"x".repeat(200)}`, [[1, `c: HERE ${"x".repeat(111)}…`]]],
    ["nothing where the place is too far right", `${" ".repeat(500)}HERE`, []],
  ])("shows %s", (_what, text, frame) => {
    expect(framed(text, "HERE")).toEqual(frame);
  });
});
