import { expect, it } from "vitest";
import { createReasoningAssembler } from "./assemble-reasoning.js";

const text = { type: "reasoning.text", index: 0, text: "Hm", signature: "sig" };
const hidden = { type: "reasoning.encrypted", index: 1, data: "x" };

it.each<[string, Record<string, unknown>[], unknown]>([
  ["nothing", [{ content: "a" }, { reasoning_content: null }], {}],
  [
    "content",
    [{ reasoning_content: "" }, { reasoning_content: "H" }, { reasoning_content: "m" }],
    { reasoning_content: "Hm" },
  ],
  ["empty content", [{ reasoning_content: "" }], { reasoning_content: "" }],
  [
    "text with a signature at its end",
    [
      { reasoning_details: [{ ...text, text: "H", signature: null }] },
      { reasoning_details: [{ ...text, text: "m", signature: null }] },
      { reasoning_details: [{ type: "reasoning.text", index: 0, signature: "sig" }] },
      { reasoning_details: [hidden] },
      { reasoning_details: [hidden] },
    ],
    { reasoning_details: [text, hidden, hidden] },
  ],
  [
    "texts of their own",
    [{ reasoning_details: [text, { ...text, index: 2 }] }, { reasoning_details: [hidden, text] }],
    { reasoning_details: [text, { ...text, index: 2 }, hidden, text] },
  ],
])("puts streamed reasoning together: %s", (_name, deltas, expected) => {
  const assembler = createReasoningAssembler();
  for (const delta of deltas) assembler.add(delta);
  expect(assembler.finish()).toEqual(expected);
});
