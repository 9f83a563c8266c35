import { createParser } from "eventsource-parser";
import type { StreamEvent } from "../../wire-format.js";
import { parseStreamEvent, type Decoded, type StreamDecoder } from "./stream-decoder.js";

/** Server-sent events, as https://html.spec.whatwg.org/multipage/server-sent-events.html defines them. */
export function createSseDecoder(): StreamDecoder {
  const text = new TextDecoder();
  let events: StreamEvent[] = [];
  let problem: string | null = null;
  const parser = createParser({
    onEvent({ event, data }) {
      if (problem !== null) return;
      const parsed = parseStreamEvent(event ?? null, data);
      if (parsed.success) events.push(parsed.data);
      else problem = parsed.error;
    },
  });
  const feed = (piece: string): Decoded => {
    events = [];
    parser.feed(piece);
    return { events, problem };
  };
  return {
    push: (chunk) => feed(text.decode(chunk, { stream: true })),
    // Some servers leave out the empty line after their last event.
    end: () => feed(`${text.decode()}\n\n`),
  };
}
