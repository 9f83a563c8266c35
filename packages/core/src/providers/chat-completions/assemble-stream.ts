import { isRecord, textOf } from "../../values/json.js";
import { doneEvent } from "../http/streaming/stream-decoder.js";
import { streamedError } from "../http/streaming/streamed-error.js";
import type { StreamAssembler, StreamStep } from "../wire-format.js";
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
 * the ways in which servers report an error, and empty strings where OpenAI sends null. Content that is more than text needs
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

interface ReasoningAssembler {
  add(delta: Record<string, unknown>): void;
  /** The fields as a message has them that was not streamed. */
  finish(): Readonly<Record<string, unknown>>;
}

/** Puts streamed reasoning together. Of the details only text comes in pieces; encrypted ones and summaries are whole. */
export function createReasoningAssembler(): ReasoningAssembler {
  let content: string | null = null;
  const details: Record<string, unknown>[] = [];

  const addDetail = (detail: Record<string, unknown>): void => {
    const last = details.at(-1);
    const isPiece = last?.["type"] === detail["type"] && detail["type"] === "reasoning.text";
    if (last === undefined || !isPiece || last["index"] !== detail["index"]) return void details.push({ ...detail });
    const text = textOf(last["text"]) + textOf(detail["text"]);
    const told = Object.entries(detail).filter(([, value]) => value !== null && value !== undefined);
    Object.assign(last, Object.fromEntries(told), { text });
  };

  return {
    add(delta) {
      if (typeof delta["reasoning_content"] === "string") content = (content ?? "") + delta["reasoning_content"];
      const pieces: readonly unknown[] = Array.isArray(delta["reasoning_details"]) ? delta["reasoning_details"] : [];
      for (const piece of pieces) if (isRecord(piece)) addDetail(piece);
    },
    finish: () => ({
      ...(content === null ? {} : { reasoning_content: content }),
      ...(details.length === 0 ? {} : { reasoning_details: details }),
    }),
  };
}

interface CallInProgress {
  index: number;
  id: string | null;
  name: string;
  arguments: string;
}

/** A tool call as a chat completion has it. */
interface AssembledCall {
  type: "function";
  id: string | null;
  function: { name: string; arguments: string };
}

interface CallAssembler {
  /** Takes one entry of `delta.tool_calls`. */
  add(delta: Record<string, unknown>): void;
  finish(): AssembledCall[];
}

/**
 * Puts tool calls together whose pieces may come in turn. OpenAI numbers them by `index`. Servers like it leave the
 * index out, or give the same to several calls; then a new id together with a name begins a new call. A new id alone
 * does not, because some servers make one up for each piece.
 */
export function createCallAssembler(): CallAssembler {
  const calls: CallInProgress[] = [];

  const callFor = (delta: Record<string, unknown>, id: string | null, name: string | null): CallInProgress => {
    const index = typeof delta["index"] === "number" ? delta["index"] : null;
    const known = index === null ? calls.at(-1) : calls.findLast((call) => call.index === index);
    const isSame = id === null || known?.id === null || known?.id === id;
    // Without an index a name begins a call, unless its id says otherwise.
    const goesOn = name === null || (index === null ? id !== null && known?.id === id : isSame);
    if (known !== undefined && goesOn) return known;
    const begun = { index: index ?? calls.length, id: null, name: "", arguments: "" };
    calls.push(begun);
    return begun;
  };

  return {
    add(delta) {
      const called = isRecord(delta["function"]) ? delta["function"] : {};
      const id = filledText(delta["id"]);
      const name = filledText(called["name"]);
      const call = callFor(delta, id, name);
      call.id ??= id;
      // Repeated by some servers with each piece, so it is not a piece itself.
      if (name !== null) call.name = name;
      const piece = called["arguments"];
      if (typeof piece === "string") call.arguments += piece;
      else if (piece !== undefined && piece !== null) call.arguments = JSON.stringify(piece);
    },
    finish: () =>
      calls
        .toSorted((a, b) => a.index - b.index)
        .map(({ id, name, arguments: text }) => ({ type: "function", id, function: { name, arguments: text } })),
  };
}

/** A non-empty string; servers send empty ones where OpenAI sends null or nothing. */
function filledText(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
