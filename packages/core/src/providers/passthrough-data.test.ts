import { expect, it } from "vitest";
import { passthroughList, passthroughData } from "./passthrough-data.js";

it("finds what an adapter kept under its own mark", () => {
  expect(passthroughData("gemini", { gemini: { parts: [1] } })).toEqual({ parts: [1] });
  expect(passthroughList("gemini", "parts", { gemini: { parts: [1] } })).toEqual([1]);
});

it.each([undefined, null, "x", [], { cohere: { parts: [1] } }, { gemini: "x" }, { gemini: { parts: "x" } }])(
  "finds no list in %j",
  (data) => {
    expect(passthroughList("gemini", "parts", data)).toBeNull();
  },
);
