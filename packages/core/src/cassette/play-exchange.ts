import type {
  ExchangeContext,
  HttpFailure,
  HttpReply,
  HttpRequest,
  HttpTransport,
} from "../providers/http/transport.js";
import { failure, success } from "../result.js";
import type { Clock } from "../values/clock.js";
import { fillVolatile } from "./canonical-request.js";
import type { ExchangeLine } from "./cassette-lines.js";
import { toChunks } from "./stream-pieces.js";

type Sent = Awaited<ReturnType<HttpTransport["send"]>>;

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
  if (sink !== undefined) {
    for (const [ms, chunk] of toChunks(recorded, (text) => fillVolatile(text, volatile))) {
      await waitUntil(ms);
      if (signal.aborted) return failure(aborted(signal));
      if (sink(chunk, ms)) break;
    }
  }
  await waitUntil(recorded.ms);
  if (signal.aborted) return failure(aborted(signal));
  const { status = 0, headers = {}, ms: latencyMs } = recorded;
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
