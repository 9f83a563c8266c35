import { failure, success, type Result } from "../../../result.js";
import { isRecord } from "../../../values/json.js";
import type { StreamEvent } from "../../wire-format.js";
import { parseReply } from "../parse-reply.js";

/** What a piece of a stream holds. */
export interface Decoded {
  /** The events that are complete with it, up to the first that cannot be read. */
  events: readonly StreamEvent[];
  /** What is wrong with the stream, completing `OpenAI returned 200 with …`; null while all is well. */
  problem: string | null;
}

/** Makes events of the bytes of a stream, however they were cut on their way. */
export interface StreamDecoder {
  push(chunk: Uint8Array): Decoded;
  /** The content of the last bytes at the end. Bytes that form no event are not a problem: the stream was truncated. */
  end(): Decoded;
}

/** More than any event of a model has, pictures included; what is longer is a fault, and must not fill the memory. */
export const maxEventBytes = 8 * 1_048_576;

export const tooLongEvent = `a stream with an event of more than ${maxEventBytes / 1_048_576} MiB`;

/** The name of the message that is not JSON but says that the stream is over. */
export const doneEvent = "[DONE]";

/** An event of the text that a frame holds. */
export function parseStreamEvent(name: string | null, text: string): Result<StreamEvent, string> {
  if (text.startsWith(doneEvent)) return success({ name: doneEvent, data: {} });
  const parsed = parseReply(text);
  if (!parsed.success || !isRecord(parsed.data)) return failure("a stream with an event that is not a JSON object");
  return success({ name, data: parsed.data });
}
