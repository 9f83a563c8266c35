import { isRecord } from "../../values/json.js";
import { doneEvent } from "../http/streaming/stream-decoder.js";
import { streamedError } from "../http/streaming/streamed-error.js";
import type { StreamAssembler, StreamStep } from "../wire-format.js";
import { createCallAssembler, filledText } from "./assemble-calls.js";
import { createReasoningAssembler } from "./assemble-reasoning.js";
import { chatText } from "./from-response.js";

/** Puts the `content` of the deltas together, in the form that it has without streaming. */
export interface ContentAssembler {
  /** Whether the piece added to the text of the answer. */
  add(piece: unknown): boolean;
  /** The text of the answer so far. */
  readonly text: string;
  finish(): unknown;
}

/**
 * Puts the chunks of a streamed chat completion together. Beyond what OpenAI sends it knows Groq's place for the usage,
 * the ways in which servers tell an error, and empty strings where OpenAI sends null. Content that is more than text needs
 * its own assembler.
 */
export function createChatAssembler(content: ContentAssembler = createTextAssembler()): StreamAssembler {
  let refusal = "";
  let finishReason: string | null = null;
  let model: string | null = null;
  let usage: unknown;
  let isDone = false;
  const calls = createCallAssembler();
  const reasoning = createReasoningAssembler();

  const addDelta = (delta: Record<string, unknown>): boolean => {
    const isContent = content.add(delta["content"]);
    const refused = filledText(delta["refusal"]) ?? "";
    const pieces: readonly unknown[] = Array.isArray(delta["tool_calls"]) ? delta["tool_calls"] : [];
    refusal += refused;
    reasoning.add(delta);
    for (const call of pieces) if (isRecord(call)) calls.add(call);
    return isContent || refused !== "" || pieces.length > 0;
  };

  return {
    get text() {
      return content.text === "" ? refusal : content.text;
    },
    add({ name, data }): StreamStep {
      if (name === doneEvent) {
        isDone = true;
        return { kind: "end" };
      }
      if (isError(name, data)) return streamedError(data);
      // Azure sends chunks about its filter, with an empty model.
      model = filledText(data["model"]) ?? model;
      usage = usageOf(data) ?? usage;
      const choice = firstChoice(data["choices"]);
      if (choice === null) return { kind: "meta" };
      finishReason = filledText(choice["finish_reason"]) ?? finishReason;
      return { kind: isRecord(choice["delta"]) && addDelta(choice["delta"]) ? "content" : "meta" };
    },
    finish() {
      // Servers that imitate OpenAI leave out one or the other of the two ends.
      if (finishReason === null && !isDone) return null;
      const toolCalls = calls.finish();
      const message = {
        role: "assistant",
        content: content.finish(),
        refusal: refusal === "" ? null : refusal,
        ...reasoning.finish(),
      };
      const answer = toolCalls.length === 0 ? message : { ...message, tool_calls: toolCalls };
      return { model, choices: [{ index: 0, message: answer, finish_reason: finishReason }], usage };
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
      const added = chatText(piece);
      text += added;
      return added !== "";
    },
    finish: () => text,
  };
}

/** Besides `{ error }` there is the event of that name, and vLLM's older `{ object: "error", message, code }`. */
function isError(name: string | null, data: Record<string, unknown>): boolean {
  return name === "error" || data["object"] === "error" || (data["error"] !== undefined && data["error"] !== null);
}

/** With `n` above 1 the choices come in turn; the first one counts, as in a reply without streaming. */
function firstChoice(choices: unknown): Record<string, unknown> | null {
  if (!Array.isArray(choices)) return null;
  const first: unknown = choices.find((choice) => isRecord(choice) && (choice["index"] ?? 0) === 0);
  return isRecord(first) ? first : null;
}

/** Every chunk but the last has null; Groq has had it in its own field. */
function usageOf(data: Record<string, unknown>): Record<string, unknown> | null {
  if (isRecord(data["usage"])) return data["usage"];
  const groq = data["x_groq"];
  return isRecord(groq) && isRecord(groq["usage"]) ? groq["usage"] : null;
}
