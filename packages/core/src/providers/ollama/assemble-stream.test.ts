import { describe, expect, it } from "vitest";
import type { StreamStep } from "../wire-format.js";
import { createOllamaAssembler } from "./ollama-format.js";

function assemble(lines: readonly Record<string, unknown>[]) {
  const assembler = createOllamaAssembler();
  const steps: StreamStep[] = lines.map((data) => assembler.add({ name: null, data }));
  return { kinds: steps.map(({ kind }) => kind), text: assembler.text, body: assembler.finish() };
}

const line = (message: Record<string, unknown>) => ({
  model: "m",
  message: { role: "assistant", ...message },
  done: false,
});
const last = {
  model: "m",
  message: { role: "assistant", content: "" },
  done: true,
  done_reason: "stop",
  eval_count: 3,
};

describe("createOllamaAssembler", () => {
  it("gives the body that comes without streaming", () => {
    const call = { function: { name: "look", arguments: { id: 1 } } };
    const other = { function: { name: "look", arguments: { id: 2 } } };
    const { kinds, text, body } = assemble([
      line({ content: "", thinking: "Two " }),
      line({ content: "", thinking: "and two." }),
      line({ content: "It is " }),
      line({ content: "4." }),
      line({ content: "", tool_calls: [call] }),
      line({ content: "", tool_calls: [other] }),
      last,
    ]);
    expect(kinds).toEqual(["meta", "meta", "content", "content", "content", "content", "end"]);
    expect(text).toBe("It is 4.");
    expect(body).toEqual({
      ...last,
      message: { role: "assistant", content: "It is 4.", thinking: "Two and two.", tool_calls: [call, other] },
    });
  });

  it("takes what the last line adds, which counts as a piece of the answer", () => {
    const whole = { ...last, message: { role: "assistant", content: "4" } };
    expect(assemble([whole]).body).toEqual(whole);
    const steps = [whole, last].map((data) => createOllamaAssembler().add({ name: null, data }));
    expect(steps).toEqual([
      { kind: "end", hasContent: true },
      { kind: "end", hasContent: false },
    ]);
  });

  it("has nothing when the stream ended before its last line", () => {
    expect(assemble([line({ content: "It" })]).body).toBeNull();
  });

  it.each([
    [{ error: "an error was encountered while running the model" }, 500],
    [{ error: "too many requests", status: 429 }, 429],
  ])("reads the error %j like an error reply", (data, status) => {
    const step = createOllamaAssembler().add({ name: null, data });
    expect(step).toEqual({ kind: "error", status, body: JSON.stringify(data) });
  });
});
