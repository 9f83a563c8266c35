import { expect, it } from "vitest";
import { keptList, keptUnder } from "./kept-data.js";

it("finds what an adapter kept under its own mark", () => {
  expect(keptUnder("gemini", { gemini: { parts: [1] } })).toEqual({ parts: [1] });
  expect(keptList("gemini", "parts", { gemini: { parts: [1] } })).toEqual([1]);
});

it.each([undefined, null, "x", [], { cohere: { parts: [1] } }, { gemini: "x" }, { gemini: { parts: "x" } }])(
  "finds no list in %j",
  (data) => {
    expect(keptList("gemini", "parts", data)).toBeNull();
  },
);
