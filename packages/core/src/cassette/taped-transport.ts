import type {
  ExchangeContext,
  HttpRequest,
  HttpTransport,
  SendOptions,
  HttpFailure,
  HttpReply,
} from "../providers/http/transport.js";
import { kindlmError, type KindlmError } from "../errors/kindlm-error.js";
import { failure, success } from "../result.js";
import type { CassetteMode } from "../config/cassette-mode.js";
import type { Clock } from "../values/clock.js";
import { canonicalRequest, fillVolatile } from "./canonical-request.js";
import type { ExchangeLine } from "./cassette-lines.js";
import type { OpenTape, Tapes } from "./tapes.js";
import { missedRequest } from "./explain-miss.js";
import { recordExchange } from "./record-exchange.js";
import { toChunks, type TimedChunk } from "./stream-pieces.js";
import type { TapeSlot } from "./trial-tape.js";

type Sent = Awaited<ReturnType<HttpTransport["send"]>>;

export interface TapedTransportSettings {
  mode: Exclude<CassetteMode, "off">;
  tapes: Pick<Tapes, "open">;
  /** What reaches the network; null where nothing may. */
  live: HttpTransport | null;
  clock: Clock;
  /** Whether recordings take as long as they did. */
  takesTime: boolean;
  onMiss(caseId: string, trial: number): void;
  redact(text: string): string;
}

export interface TapedTransport extends HttpTransport {
  /** Lets whoever reads a new recording change it, or take it off the tape (null). */
  amend(exchange: ExchangeContext, change: (line: ExchangeLine) => ExchangeLine | null): void;
}

/** HTTP with a cassette: exchanges of a known trial are recorded, or answered from recordings. */
export function createTapedTransport(settings: TapedTransportSettings): TapedTransport {
  const { mode, tapes, live, clock, redact } = settings;
  const fresh = new WeakMap<ExchangeContext, { slot: TapeSlot; line: ExchangeLine }>();

  const ask = async (request: HttpRequest, options: SendOptions): Promise<Sent> =>
    live === null ? withheld(noNetwork(request.url)) : live.send(request, options);

  const record = async (
    request: HttpRequest,
    key: string,
    slot: TapeSlot,
    exchange: ExchangeContext,
    signal: AbortSignal,
  ): Promise<Sent> => {
    const { sink } = request;
    const chunks: TimedChunk[] = [];
    const watched: HttpRequest = { ...request };
    if (sink !== undefined) {
      watched.sink = (chunk, elapsedMs, head) => {
        chunks.push([elapsedMs, Buffer.from(chunk)]);
        return sink(chunk, elapsedMs, head);
      };
    }
    const startedAt = clock.monotonic();
    const sent = await ask(watched, { signal });
    const elapsedMs = clock.monotonic() - startedAt;
    const answer = { sent, chunks: sink === undefined ? null : chunks, elapsedMs, nowMs: clock.now() };
    const line = recordExchange(key, exchange, answer, redact);
    if (line === null) return sent;
    slot.fill(line);
    fresh.set(exchange, { slot, line });
    return sent;
  };

  return {
    async send(request, { signal, exchange }) {
      if (exchange === undefined) return ask(request, { signal });
      const opened = await tapes.open(exchange.caseId, exchange.trial);
      if (!opened.success) return withheld(opened.error);
      const { tape, content, asker }: OpenTape = opened.data;
      // What one says another may repeat, such as a service its session and a simulated user the service.
      exchange.volatile = tape.learn(exchange.volatile ?? {});
      const asked = canonicalRequest(request, exchange, redact);
      const slot = tape.begin(asked);
      const recorded = mode === "record" ? null : tape.take(asked.request);
      if (recorded !== null && "exchange" in recorded) {
        slot.fill(recorded);
        exchange.replayedMs = recorded.ms;
        return playExchange(recorded, request, exchange, settings.takesTime ? clock : null, signal);
      }
      if (mode !== "replay") return record(request, asked.request, slot, exchange, signal);
      settings.onMiss(exchange.caseId, exchange.trial);
      return withheld(missedRequest(asked, asker, content));
    },
    amend(exchange, change) {
      const known = fresh.get(exchange);
      if (known !== undefined) known.slot.fill(change(known.line));
    },
    close: async () => live?.close(),
  };
}

function withheld(error: KindlmError): Sent {
  return failure({ kind: "withheld", error, message: error.message, cause: new Error(error.message) });
}

function noNetwork(url: string): KindlmError {
  const host = URL.canParse(url) ? new URL(url).host : url;
  const message = `A replay sends no requests, and the one to ${host} is not recorded`;
  return kindlmError("PROVIDER_CASSETTE_MISS", message, { details: { sent: false } });
}

/** Answers a request as a recording has it: by the same pieces, the same failure. `clock`: null to lose no time. */
export async function playExchange(
  recorded: ExchangeLine,
  { sink }: Pick<HttpRequest, "sink">,
  { volatile = {} }: ExchangeContext,
  clock: Clock | null,
  signal: AbortSignal,
): Promise<Sent> {
  const startedAt = clock?.monotonic() ?? 0;
  const waitUntil = async (ms: number): Promise<void> => {
    if (clock !== null) await clock.sleep(Math.max(0, startedAt + ms - clock.monotonic()), signal);
  };
  const { status = 0, headers = {}, ms: latencyMs } = recorded;
  if (sink !== undefined) {
    for (const [ms, chunk] of toChunks(recorded, (text) => fillVolatile(text, volatile))) {
      await waitUntil(ms);
      if (signal.aborted) return failure(aborted(signal));
      if (sink(chunk, ms, { status, headers })) break;
    }
  }
  await waitUntil(recorded.ms);
  if (signal.aborted) return failure(aborted(signal));
  if (recorded.failure !== undefined) return failure(failureOf(recorded.failure, status, headers));
  const body = recorded.text ?? (recorded.body === undefined ? "" : JSON.stringify(recorded.body));
  return success({ status, headers, body: fillVolatile(body, volatile), latencyMs });
}

function failureOf(
  recorded: NonNullable<ExchangeLine["failure"]>,
  status: number,
  headers: HttpReply["headers"],
): HttpFailure {
  switch (recorded.kind) {
    case "timeout": {
      const { which, ms } = recorded;
      return { kind: "timeout", which, ms, cause: new Error(`The ${which} deadline of ${ms} ms passed`) };
    }
    case "network": {
      const { systemCode, message, brokeOff } = recorded;
      const told = { kind: "network", systemCode, message, cause: new Error(message) } as const;
      return brokeOff === true ? { ...told, brokeOff } : told;
    }
    case "unreadable": {
      const { message } = recorded;
      return { kind: "unreadable", status, headers, message, cause: new Error(message) };
    }
    case "unsendable":
      return { kind: "unsendable", message: recorded.message, cause: new Error(recorded.message) };
  }
}

function aborted({ reason }: AbortSignal): HttpFailure {
  return { kind: "aborted", cause: reason instanceof Error ? reason : new Error(String(reason)) };
}
