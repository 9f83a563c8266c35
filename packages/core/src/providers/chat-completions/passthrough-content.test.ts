import { expect, it } from "vitest";
import { toPassthrough, passthroughContent } from "./passthrough-content.js";

const text = { type: "reasoning.text", index: 0, text: "Hm", signature: "sig" };
const hidden = { type: "reasoning.encrypted", index: 1, data: "x" };

it.each<[Record<string, unknown>, unknown]>([
  [{ reasoning_content: "Hm" }, { reasoning_content: "Hm" }],
  [{ reasoning_content: "" }, { reasoning_content: "" }],
  [{ reasoning: "Hm", reasoning_details: [text, hidden] }, { reasoning_details: [text, hidden] }],
  [{ reasoning_content: null, reasoning_details: [] }, undefined],
  [{ reasoning: "Hm" }, undefined],
])("keeps of %j what must go back with its tool calls", (message, fields) => {
  const kept = toPassthrough(message, true);
  expect(kept?.openaiChat).toEqual(fields);
  expect(passthroughContent(kept)).toEqual(fields ?? {});
  expect(toPassthrough(message, false)).toBeUndefined();
});

it.each([undefined, null, "x", { anthropic: { content: [] } }, { openaiChat: "x" }])("finds nothing in %j", (data) => {
  expect(passthroughContent(data)).toEqual({});
});
