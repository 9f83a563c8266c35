import { requestIdOf } from "../providers/http/classify.js";
import { retryHintMs } from "../providers/http/retry-hints.js";
import type { ExchangeContext, HttpFailure, HttpReply, HttpTransport } from "../providers/http/transport.js";
import { maskVolatile } from "./canonical-request.js";
import type { ExchangeLine, RecordedFailure } from "./cassette-lines.js";
import { roundedMs, toPieces, type TimedChunk } from "./stream-pieces.js";
import { bodyRoom, parseJson } from "../values/parse-json.js";

/** The outcome of a request. */
export interface Answer {
  sent: Awaited<ReturnType<HttpTransport["send"]>>;
  /** The pieces of a body that was streamed; null for one that was read as a whole. */
  chunks: readonly TimedChunk[] | null;
  /** From sending the request to its end, milliseconds. */
  elapsedMs: number;
  nowMs: number;
}

/** Statuses below 500 that another try, or another key, may not meet again. */
const passingStatuses = new Set([401, 403, 407, 408, 409, 425, 429]);

/**
 * An exchange as it is written down. Null where it is not: it was interrupted, or holds a secret that cannot be taken
 * out of it.
 */
export function recordExchange(
  key: string,
  { caseId, trial, turn, attempt, volatile = {} }: ExchangeContext,
  answer: Answer,
  redact: (text: string) => string,
): ExchangeLine | null {
  const { sent, chunks } = answer;
  const clean = (text: string): string => redact(maskVolatile(text, volatile));
  const place = { exchange: key, case: caseId, trial, n: 1, turn, attempt };
  const ms = roundedMs(answer.elapsedMs);
  const streamed = chunks === null || chunks.length === 0 ? {} : toPieces(chunks, clean);
  if (streamed === null) return null;
  if (sent.success) {
    const { status, body, latencyMs } = sent.data;
    const headers = keptHeaders(sent.data, answer.nowMs, clean);
    const said = chunks !== null && status < 300 ? streamed : writtenBody(clean(body));
    const line: ExchangeLine = { ...place, status, headers, ...said, ms: roundedMs(latencyMs) };
    return status >= 500 || passingStatuses.has(status) ? { ...line, passing: true } : line;
  }
  const failure = recordedFailure(sent.error, clean);
  if (failure === null) return null;
  const headed =
    sent.error.kind === "unreadable"
      ? { status: sent.error.status, headers: keptHeaders({ ...sent.error, body: "" }, answer.nowMs, clean) }
      : {};
  const line: ExchangeLine = { ...place, ...headed, ...streamed, failure, ms };
  return failure.kind === "unsendable" ? line : { ...line, passing: true };
}

/** JSON stays readable, but only where not a blank is lost by it: errors quote bodies as they came. */
function writtenBody(body: string): Pick<ExchangeLine, "body" | "text"> {
  const parsed = parseJson(body, bodyRoom);
  if (!parsed.success || JSON.stringify(parsed.data) !== body) return { text: body };
  return { body: parsed.data };
}

/**
 * What is read of the headers later. A server's wish to be left alone for a while becomes one number: dates would mean
 * another wait at each replay.
 */
function keptHeaders(
  { status, headers, body }: Pick<HttpReply, "status" | "headers" | "body">,
  nowMs: number,
  clean: (text: string) => string,
): Readonly<Record<string, string>> {
  const kept: Record<string, string> = {};
  const keep = (name: string, value: string | null | undefined): void => {
    if (value !== null && value !== undefined) kept[name] = clean(value);
  };
  keep("content-type", headers["content-type"]);
  if (status < 400) return kept;
  const hintMs = retryHintMs(headers, body, nowMs);
  keep("retry-after-ms", hintMs === null ? null : String(roundedMs(hintMs)));
  keep("x-amzn-errortype", headers["x-amzn-errortype"]);
  keep("x-request-id", requestIdOf(headers));
  keep("x-should-retry", headers["x-should-retry"]);
  return kept;
}

/** Null for an exchange that somebody ended from here. */
function recordedFailure(error: HttpFailure, clean: (text: string) => string): RecordedFailure | null {
  switch (error.kind) {
    case "timeout":
      return { kind: "timeout", which: error.which, ms: error.ms };
    case "network":
      return {
        kind: "network",
        systemCode: error.systemCode,
        message: clean(error.message),
        ...(error.brokeOff === true ? { brokeOff: true } : {}),
      };
    case "unreadable":
    case "unsendable":
      return { kind: error.kind, message: clean(error.message) };
    case "aborted":
    case "withheld":
      return null;
  }
}
