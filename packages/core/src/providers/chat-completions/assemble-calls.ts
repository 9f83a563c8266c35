import { isRecord } from "../../values/json.js";

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

export interface CallAssembler {
  /** Takes one entry of `delta.tool_calls`. */
  add(delta: Record<string, unknown>): void;
  finish(): AssembledCall[];
}

/**
 * Puts tool calls together whose pieces may come in turn. OpenAI tells them apart by `index`. Servers like it leave the
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
export function filledText(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
