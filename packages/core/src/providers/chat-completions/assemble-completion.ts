import { isRecord } from "../../values/json.js";
import { doneEvent } from "../http/streaming/stream-decoder.js";
import { streamedError } from "../http/streaming/streamed-error.js";
import type { StreamAssembler, StreamStep } from "../wire-format.js";

interface CallInProgress {
  id: unknown;
  function: { name: string; arguments: string };
}

/** Puts the `content` of the deltas together, in the form that it has without streaming. */
export interface ContentAssembler {
  /** Whether the piece added to the text of the answer. */
  add(piece: unknown): boolean;
  /** The text of the answer so far. */
  readonly text: string;
  finish(): unknown;
}

/**
 * Puts the chunks of a streamed chat completion together. Calls are told apart by their `index`; servers that leave it
 * out send each call as a whole. Content that is more than text needs an assembler of its own.
 */
export function createCompletionAssembler(content: ContentAssembler = createTextAssembler()): StreamAssembler {
  let refusal = "";
  let finishReason: unknown = null;
  let model: unknown;
  let usage: unknown;
  let isDone = false;
  const calls = new Map<number, CallInProgress>();

  const addCall = (delta: Record<string, unknown>): void => {
    const index = typeof delta["index"] === "number" ? delta["index"] : calls.size;
    const called = isRecord(delta["function"]) ? delta["function"] : {};
    let call = calls.get(index);
    if (call === undefined) calls.set(index, (call = { id: undefined, function: { name: "", arguments: "" } }));
    if (typeof delta["id"] === "string" && delta["id"] !== "") call.id = delta["id"];
    if (typeof called["name"] === "string") call.function.name += called["name"];
    const piece = called["arguments"];
    if (typeof piece === "string") call.function.arguments += piece;
    else if (piece !== undefined && piece !== null) call.function.arguments = JSON.stringify(piece);
  };

  const addDelta = (delta: Record<string, unknown>): boolean => {
    const isContent = content.add(delta["content"]);
    const before = refusal.length;
    if (typeof delta["refusal"] === "string") refusal += delta["refusal"];
    const pieces: readonly unknown[] = Array.isArray(delta["tool_calls"]) ? delta["tool_calls"] : [];
    for (const piece of pieces) if (isRecord(piece)) addCall(piece);
    return isContent || refusal.length > before || pieces.length > 0;
  };

  return {
    get text() {
      return content.text;
    },
    add({ name, data }): StreamStep {
      if (name === doneEvent) {
        isDone = true;
        return { kind: "end" };
      }
      if (data["error"] !== undefined && data["error"] !== null) return streamedError(data);
      // Azure sends chunks about its filter, with an empty model.
      if (typeof data["model"] === "string" && data["model"] !== "") model = data["model"];
      if (isRecord(data["usage"])) usage = data["usage"];
      const choice: unknown = Array.isArray(data["choices"]) ? data["choices"][0] : undefined;
      if (!isRecord(choice)) return { kind: "meta" };
      if (typeof choice["finish_reason"] === "string") finishReason = choice["finish_reason"];
      return { kind: isRecord(choice["delta"]) && addDelta(choice["delta"]) ? "content" : "meta" };
    },
    finish() {
      // Servers that imitate OpenAI leave out one or the other of the two ends.
      if (finishReason === null && !isDone) return null;
      const toolCalls = [...calls.values()].map((call) => ({ type: "function", ...call }));
      const message = { role: "assistant", content: content.finish(), refusal: refusal === "" ? null : refusal };
      return {
        model,
        choices: [
          {
            index: 0,
            message: toolCalls.length === 0 ? message : { ...message, tool_calls: toolCalls },
            finish_reason: finishReason,
          },
        ],
        usage,
      };
    },
  };
}

function createTextAssembler(): ContentAssembler {
  let text = "";
  return {
    get text() {
      return text;
    },
    add(piece) {
      if (typeof piece !== "string" || piece === "") return false;
      text += piece;
      return true;
    },
    finish: () => text,
  };
}
