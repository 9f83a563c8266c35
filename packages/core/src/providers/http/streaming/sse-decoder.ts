import { createParser } from "eventsource-parser";
import type { StreamEvent } from "../../wire-format.js";
import { maxEventBytes, parseStreamEvent, tooLongEvent, type Decoded, type StreamDecoder } from "./stream-decoder.js";

const errorEvent = "error";

/** Server-sent events, as https://html.spec.whatwg.org/multipage/server-sent-events.html defines them. */
export function createSseDecoder(): StreamDecoder {
  const text = new TextDecoder();
  let events: StreamEvent[] = [];
  let problem: string | null = null;
  const add = (name: string | null, data: string): void => {
    // Nothing after the first garbage is believed, and an event without data says nothing.
    if (problem !== null || data.trim() === "") return;
    const parsed = parseStreamEvent(name, data);
    if (parsed.success) events.push(parsed.data);
    else if (name === errorEvent) events.push({ name, data: { error: data } });
    else problem = parsed.error;
  };
  const parser = createParser({
    maxBufferSize: maxEventBytes,
    onEvent: ({ event, data }) => add(event ?? null, data),
    onError({ type, field, value }) {
      if (type === "max-buffer-size-exceeded") problem ??= tooLongEvent;
      // Servers built on llama.cpp send an error in a field of that name instead of an event.
      if (type === "unknown-field" && field === errorEvent) add(errorEvent, value ?? "");
    },
  });
  const feed = (piece: string): Decoded => {
    events = [];
    if (problem !== tooLongEvent) parser.feed(piece);
    return { events, problem };
  };
  return {
    push: (chunk) => feed(text.decode(chunk, { stream: true })),
    end() {
      const before = problem;
      // Some servers leave out the empty line after their last event. Half an event is not garbage but a truncated stream.
      return { ...feed(`${text.decode()}\n\n`), problem: before };
    },
  };
}
