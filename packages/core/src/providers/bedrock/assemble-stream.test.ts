import { describe, expect, it } from "vitest";
import { BedrockAssembler } from "./assemble-stream.js";

type Events = readonly (readonly [string, Record<string, unknown>])[];

function assemble(events: Events) {
  const assembler = new BedrockAssembler();
  const steps = events.map(([name, data]) => assembler.add({ name, data }).kind);
  return { steps, json: assembler.finish(), text: assembler.text };
}

const delta = (contentBlockIndex: number, piece: unknown) =>
  ["contentBlockDelta", { contentBlockIndex, delta: piece }] as const;
const start = (contentBlockIndex: number, what: unknown) =>
  ["contentBlockStart", { contentBlockIndex, start: what }] as const;
const stop = ["messageStop", { stopReason: "end_turn" }] as const;
const usage = { inputTokens: 1, outputTokens: 2, totalTokens: 3 };

function contentOf(events: Events): unknown {
  const { json } = assemble([...events, stop]);
  return (json?.["output"] as { message: { content: unknown } } | undefined)?.message.content;
}

describe("BedrockAssembler", () => {
  it("gives the body of Converse, and ends with the metadata", () => {
    const { steps, json, text } = assemble([
      ["messageStart", { role: "assistant", p: "abc" }],
      delta(0, { text: "Hel" }),
      delta(0, { text: "lo" }),
      ["contentBlockStop", { contentBlockIndex: 0 }],
      start(1, { toolUse: { toolUseId: "t", name: "lookup" } }),
      delta(1, { toolUse: { input: '{"id"' } }),
      delta(1, { toolUse: { input: ":1}" } }),
      ["contentBlockStop", { contentBlockIndex: 1 }],
      ["messageStop", { stopReason: "tool_use" }],
      ["metadata", { usage, metrics: { latencyMs: 9 } }],
    ]);
    expect(steps).toEqual([
      "meta",
      "content",
      "content",
      "meta",
      "content",
      "content",
      "content",
      "meta",
      "meta",
      "end",
    ]);
    expect(text).toBe("Hello");
    expect(json).toMatchObject({
      output: {
        message: {
          role: "assistant",
          content: [{ text: "Hello" }, { toolUse: { toolUseId: "t", name: "lookup", input: { id: 1 } } }],
        },
      },
      stopReason: "tool_use",
      usage,
    });
  });

  it("keeps the order of the blocks whatever the order of their pieces", () => {
    expect(contentOf([delta(0, { text: "a" }), delta(1, { text: "b" }), delta(0, { text: "c" })])).toEqual([
      { text: "ac" },
      { text: "b" },
    ]);
  });

  it("puts reasoning together with its signature, and hidden reasoning as bytes", () => {
    const bytes = (text: string): string => Buffer.from(text).toString("base64");
    const events = [
      delta(0, { reasoningContent: { text: "H" } }),
      delta(0, { reasoningContent: { text: "m" } }),
      delta(0, { reasoningContent: { signature: "sig" } }),
      delta(1, { reasoningContent: { redactedContent: bytes("a") } }),
      delta(1, { reasoningContent: { redactedContent: bytes("bc") } }),
      delta(2, { reasoningContent: { text: "unsigned" } }),
    ];
    expect(contentOf(events)).toEqual([
      { reasoningContent: { reasoningText: { text: "Hm", signature: "sig" } } },
      { reasoningContent: { redactedContent: bytes("abc") } },
      { reasoningContent: { reasoningText: { text: "unsigned" } } },
    ]);
    expect(assemble(events).steps).toEqual(events.map(() => "meta"));
    expect(assemble(events).text).toBe("");
  });

  it("puts sources and results of the provider's own tools together", () => {
    const events = [
      start(0, { toolResult: { toolUseId: "s", type: "web" } }),
      delta(0, { toolResult: [{ text: "a" }] }),
      delta(0, { toolResult: [{ text: "b" }] }),
      delta(1, { text: "So." }),
      delta(1, { citation: { title: "t" } }),
      start(2, { image: { format: "png" } }),
    ];
    expect(contentOf(events)).toEqual([
      { toolResult: { toolUseId: "s", type: "web", content: [{ text: "a" }, { text: "b" }] } },
      { citationsContent: { content: [{ text: "So." }], citations: [{ title: "t" }] } },
    ]);
  });

  it.each([
    ["", {}],
    ['{"a":1}', { a: 1 }],
    ['{"a":', '{"a":'],
  ])("reads the arguments %j as %j", (input, expected) => {
    const events = [start(0, { toolUse: { toolUseId: "t", name: "n" } }), delta(0, { toolUse: { input } })];
    expect(contentOf(events)).toEqual([{ toolUse: { toolUseId: "t", name: "n", input: expected } }]);
  });

  it("has no answer before the message stopped, and one without usage when the metadata never came", () => {
    expect(assemble([["messageStart", { role: "assistant" }], delta(0, { text: "Hi" })]).json).toBe(null);
    expect(assemble([delta(0, { text: "Hi" }), stop]).json).toMatchObject({ stopReason: "end_turn" });
    expect(assemble([["metadata", { usage }]])).toMatchObject({ steps: ["meta"], json: null });
  });

  it("passes over events that it does not know, and empty text", () => {
    expect(assemble([["novelty", {}], delta(0, { text: "" }), delta(0, { audio: {} }), delta(0, null)]).steps).toEqual([
      "none",
      "meta",
      "meta",
      "meta",
    ]);
  });

  it.each([
    ["throttlingException", 429],
    ["validationException", 400],
    ["internalServerException", 500],
    ["modelStreamErrorException", 424],
    ["serviceUnavailableException", 503],
    ["modelTimeoutException", 408],
    ["AccessDeniedException", 403],
    ["constructor", 500],
    ["somethingNewException", 500],
  ])("takes %s for a reply of status %i", (name, status) => {
    const data = { message: "no", __type: name };
    const step = new BedrockAssembler().add({ name, data });
    expect(step).toEqual({ kind: "error", status, body: JSON.stringify(data) });
  });
});
