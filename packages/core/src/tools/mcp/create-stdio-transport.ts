import { StringDecoder } from "node:string_decoder";
import { deserializeMessage } from "@modelcontextprotocol/sdk/shared/stdio.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { attemptSync } from "../../errors/boundary.js";
import { messageOf } from "../../errors/message-of.js";
import type { ProcessInput, ProcessOutcome, ProcessRequest, ProcessRunner } from "../../processes/process-runner.js";
import type { Result } from "../../result.js";
import type { Clock } from "../../values/clock.js";
import { preview } from "../../values/preview.js";
import { lastWords } from "../last-words.js";

/** The longest message of a server; more without a line feed is none. */
const maxLineLength = 10 * 1024 * 1024;
/** How long a server may take to end after its input has, before its group gets SIGTERM, and SIGKILL 1 s later. */
const graceMs = 300;
const noDeadlineMs = 2 ** 31 - 1;

export interface StdioTransport extends Transport {
  /** How the server ended, and the end of its stderr; empty while it runs. */
  lastWords(): string;
}

export interface StdioPorts {
  processes: ProcessRunner;
  clock: Clock;
}

/**
 * Speaks with a server over its stdin and stdout, one JSON-RPC message per line. The SDK has such a transport, but it
 * starts the process by itself, of which then nobody ends the grandchildren.
 *
 * A line that is not a JSON object is taken for stray output and ignored; an object that is not a JSON-RPC
 * message breaks the protocol and goes to `onViolation`.
 */
export function createStdioTransport(
  program: Pick<ProcessRequest, "command" | "cwd" | "env">,
  { processes, clock }: StdioPorts,
  onViolation: (message: string) => void,
): StdioTransport {
  const stop = new AbortController();
  let input: ProcessInput | null = null;
  let ended: Promise<void> | null = null;
  let how = "";

  const takeLine = (line: string): void => {
    if (!line.trimStart().startsWith("{")) return;
    const parsed = attemptSync(() => deserializeMessage(line), messageOf);
    if (parsed.success) transport.onmessage?.(parsed.data);
    else onViolation(`it wrote ${preview(line)}, which is not a message of the protocol`);
  };

  const transport: StdioTransport = {
    async start() {
      const running = processes.run({
        ...program,
        stdin: "",
        timeoutMs: noDeadlineMs,
        signal: stop.signal,
        stderrTailBytes: 4_000,
        converse(pen) {
          input = pen;
          return createLineReader(takeLine, () => onViolation("it wrote a line that does not end"));
        },
      });
      ended = running.then((outcome) => {
        how = describeEnd(outcome);
        return transport.onclose?.();
      });
    },
    async send(message) {
      input?.write(`${JSON.stringify(message)}\n`);
    },
    async close() {
      input?.end();
      const cancel = clock.after(graceMs, () => stop.abort());
      await ended;
      cancel();
    },
    lastWords: () => how,
  };
  return transport;
}

function createLineReader(onLine: (line: string) => void, onEndless: () => void): (chunk: Uint8Array) => void {
  const decoder = new StringDecoder("utf8");
  let buffered = "";
  return (chunk) => {
    const text = decoder.write(Buffer.from(chunk));
    if (!text.includes("\n")) {
      buffered += text;
      if (buffered.length <= maxLineLength) return;
      buffered = "";
      return onEndless();
    }
    const lines = (buffered + text).split("\n");
    buffered = lines.pop() ?? "";
    for (const line of lines) onLine(line);
  };
}

function describeEnd(outcome: Result<ProcessOutcome, { message: string }>): string {
  if (!outcome.success) return outcome.error.message;
  const { exitCode, signal, stderr } = outcome.data;
  const how = exitCode === null ? `was ended by ${signal ?? "a signal"}` : `ended with exit code ${exitCode}`;
  const said = lastWords(stderr);
  return `it ${how}${said === "" ? "" : `: ${said}`}`;
}
