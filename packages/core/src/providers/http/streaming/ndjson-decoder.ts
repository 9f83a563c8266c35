import type { StreamEvent } from "../../wire-format.js";
import { parseStreamEvent, type Decoded, type StreamDecoder } from "./stream-decoder.js";

/** One JSON object on each line. */
export function createNdjsonDecoder(): StreamDecoder {
  const text = new TextDecoder();
  let rest = "";
  const parse = (lines: readonly string[]): Decoded => {
    const events: StreamEvent[] = [];
    for (const line of lines) {
      if (line.trim() === "") continue;
      const parsed = parseStreamEvent(null, line);
      if (!parsed.success) return { events, problem: parsed.error };
      events.push(parsed.data);
    }
    return { events, problem: null };
  };
  return {
    push(chunk) {
      const lines = (rest + text.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      return parse(lines);
    },
    end() {
      const last = rest + text.decode();
      rest = "";
      return parse([last]);
    },
  };
}
