import { describe, expect, it } from "vitest";
import { createResponsesAssembler } from "./assemble-stream.js";

function feed(...events: Record<string, unknown>[]) {
  const assembler = createResponsesAssembler();
  const steps = events.map((data) => assembler.add({ name: null, data }));
  return { assembler, steps, kinds: steps.map(({ kind }) => kind) };
}

const item = (id: string) => ({ type: "message", id, content: [] });

describe("createResponsesAssembler", () => {
  it("tells content from what is around it", () => {
    const { kinds, assembler } = feed(
      { type: "response.created", response: {} },
      { type: "response.output_item.added", output_index: 0, item: item("m") },
      { type: "response.output_text.delta", delta: "Hel" },
      { type: "response.output_text.delta", delta: "lo" },
      { type: "response.output_text.delta", delta: "" },
      { type: "response.refusal.delta", delta: "No" },
      { type: "response.output_item.added", output_index: 1, item: { type: "function_call" } },
      { type: "response.function_call_arguments.delta", delta: "{" },
      { type: "response.reasoning_summary_text.delta", delta: "Hm" },
      { type: "keepalive", sequence_number: 3 },
    );
    expect(kinds.join(" ")).toBe("meta meta content content meta content content content meta none");
    expect(assembler.text).toBe("Hello");
    expect(assembler.finish()).toBeNull();
  });

  it.each(["response.completed", "response.incomplete"])("ends with %s, which holds the response", (type) => {
    const response = { status: "completed", output: [item("a")], usage: { input_tokens: 1 } };
    const { kinds, assembler } = feed({ type, response });
    expect(kinds).toEqual(["end"]);
    expect(assembler.finish()).toBe(response);
  });

  it("puts the items into the place of an output that was left out", () => {
    const { assembler } = feed(
      { type: "response.output_item.done", output_index: 1, item: item("b") },
      { type: "response.output_item.done", output_index: 0, item: item("a") },
      { type: "response.completed", response: { status: "completed", output: [] } },
    );
    expect(assembler.finish()).toEqual({ status: "completed", output: [item("a"), item("b")] });
  });

  it("goes by the name of the event where the data has no type", () => {
    const assembler = createResponsesAssembler();
    expect(assembler.add({ name: "response.completed", data: { response: { output: [] } } })).toEqual({ kind: "end" });
    expect(assembler.finish()).toEqual({ output: [] });
  });

  it.each([
    [{ type: "error", code: "rate_limit_exceeded", message: "Slow down", param: null }, 429],
    [{ type: "error", error: { type: "invalid_request_error", code: null, message: "No" } }, 400],
    [
      { type: "response.failed", response: { status: "failed", error: { code: "server_error", message: "Oops" } } },
      500,
    ],
    [{ type: "response.failed", response: { status: "failed", error: { code: "invalid_image_url" } } }, 400],
    [{ type: "response.failed" }, 500],
  ])("reads the error %j as the status %i", (event, status) => {
    expect(feed(event).steps).toEqual([{ kind: "error", status, body: expect.stringContaining("{") as string }]);
  });

  it("takes what a content filter stopped for an answer", () => {
    const response = { status: "failed", error: { code: "content_filter" }, output: [item("a")] };
    const { kinds, assembler } = feed({ type: "response.failed", response });
    expect(kinds).toEqual(["end"]);
    expect(assembler.finish()).toBe(response);
  });
});
