import type { ServerResponse } from "node:http";

/** Server-sent events: one frame for each object, named where the format names its events. */
export function sseFrames(
  events: readonly Record<string, unknown>[],
  nameOf: (event: Record<string, unknown>) => string | null = () => null,
): readonly string[] {
  return events.map((event) => {
    const name = nameOf(event);
    return `${name === null ? "" : `event: ${name}\n`}data: ${JSON.stringify(event)}\n\n`;
  });
}

/** Sends the frames as a stream; with `cutAfter` only so many of them, and breaks the connection then. */
export function sendStream(
  response: ServerResponse,
  frames: readonly string[],
  { cutAfter, headers = {} }: { cutAfter?: number; headers?: Readonly<Record<string, string>> } = {},
): void {
  response.writeHead(200, { "content-type": "text/event-stream", ...headers });
  if (cutAfter === undefined) {
    for (const frame of frames) response.write(frame);
    response.end();
    return;
  }
  // A comment is no event, but brings the head of the reply on its way.
  response.write(": hello\n\n");
  response.write(frames.slice(0, cutAfter).join("") || ": nothing\n\n", () => response.destroy());
}
