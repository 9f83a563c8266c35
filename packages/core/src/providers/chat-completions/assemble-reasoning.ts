import { isRecord, textOf } from "../../values/json.js";

export interface ReasoningAssembler {
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
