import { expect, it } from "vitest";
import { CohereAssembler } from "./from-response.js";

function feed(events: readonly Record<string, unknown>[]) {
  const assembler = new CohereAssembler();
  const steps = events.map((data) => assembler.add({ name: null, data }).kind);
  return { steps, text: assembler.text, body: assembler.finish() };
}

function event(type: string, index: number, message: Record<string, unknown>) {
  return { type, index, delta: { message } };
}

const start = { type: "message-start", id: "c", delta: { message: { role: "assistant", content: [], tool_plan: "" } } };
const usage = { billed_units: { input_tokens: 3, output_tokens: 2 } };

it("puts plan, thoughts and parallel calls together", () => {
  const named = (id: string) => ({ tool_calls: { id, type: "function", function: { name: "lookup", arguments: "" } } });
  const piece = (text: string) => ({ tool_calls: { function: { arguments: text } } });
  const { steps, text, body } = feed([
    start,
    event("content-start", 0, { content: { type: "thinking", thinking: "" } }),
    event("content-delta", 0, { content: { thinking: "Hm." } }),
    { type: "content-end", index: 0 },
    { type: "tool-plan-delta", delta: { message: { tool_plan: "I will" } } },
    { type: "tool-plan-delta", delta: { message: { tool_plan: " look." } } },
    event("tool-call-start", 0, named("a")),
    event("tool-call-delta", 0, piece('{"id"')),
    event("tool-call-delta", 0, piece(":1}")),
    { type: "tool-call-end", index: 0 },
    event("tool-call-start", 1, named("b")),
    event("tool-call-delta", 7, piece("lost")),
    { type: "message-end", delta: { finish_reason: "TOOL_CALL", usage } },
  ]);
  const calls = Array.from({ length: 4 }, () => "content");
  calls.splice(3, 0, "none");
  expect(steps).toEqual(["meta", "meta", "meta", "none", "meta", "meta", ...calls, "content", "end"]);
  expect(text).toBe("");
  expect(body).toEqual({
    id: "c",
    finish_reason: "TOOL_CALL",
    usage,
    message: {
      role: "assistant",
      tool_plan: "I will look.",
      content: [{ type: "thinking", thinking: "Hm." }],
      tool_calls: [
        { id: "a", type: "function", function: { name: "lookup", arguments: '{"id":1}' } },
        { id: "b", type: "function", function: { name: "lookup", arguments: "" } },
      ],
    },
  });
});

it("joins text, and passes over citations, the unknown and what comes after the end", () => {
  const { steps, text, body } = feed([
    start,
    event("content-start", 0, { content: { type: "text", text: "" } }),
    event("content-delta", 0, { content: { text: "Hel" } }),
    event("citation-start", 0, { citations: { start: 0 } }),
    { type: "debug", prompt: "x" },
    event("content-delta", 0, { content: { text: "lo" } }),
    { type: "message-end", delta: { finish_reason: "COMPLETE" } },
  ]);
  expect(steps).toEqual(["meta", "meta", "content", "none", "none", "content", "end"]);
  expect(text).toBe("Hello");
  expect(body).toEqual({
    id: "c",
    finish_reason: "COMPLETE",
    message: { role: "assistant", content: [{ type: "text", text: "Hello" }] },
  });
});

it("goes by the name of the event where the data has no type", () => {
  const assembler = new CohereAssembler();
  expect(assembler.add({ name: "message-end", data: { delta: { finish_reason: "COMPLETE" } } })).toEqual({
    kind: "end",
  });
  expect(assembler.finish()).toMatchObject({ finish_reason: "COMPLETE" });
});

it("gets along with deltas that have no start", () => {
  const { body } = feed([
    event("content-delta", 0, { content: { thinking: "Hm." } }),
    event("content-delta", 1, { content: { text: "Hi" } }),
    { type: "message-end", delta: {} },
  ]);
  expect(body).toMatchObject({
    message: {
      content: [
        { type: "thinking", thinking: "Hm." },
        { type: "text", text: "Hi" },
      ],
    },
  });
});

it("has no body before the end", () => {
  expect(feed([start, event("content-delta", 0, { content: { text: "Hi" } })]).body).toBeNull();
  const assembler = new CohereAssembler();
  expect(assembler.add({ name: "[DONE]", data: {} })).toEqual({ kind: "end" });
  expect(assembler.finish()).toBeNull();
});

it.each([
  ["ERROR", 500],
  ["TIMEOUT", 504],
])("takes the end %s for the error %i", (finish, status) => {
  const data = { type: "message-end", delta: { finish_reason: finish, error: "internal" } };
  expect(new CohereAssembler().add({ name: null, data })).toEqual({
    kind: "error",
    status,
    body: JSON.stringify(data),
  });
});
