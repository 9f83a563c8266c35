import { mebibyte } from "../files/open-for-reading.js";
import { failure, success } from "../result.js";
import { createOtlpHandler } from "../traces/otlp-handler.js";
import { concernsAgent } from "../traces/read-conversation.js";
import { TraceIndex } from "../traces/trace-index.js";

/** All spans are held until they are scored. */
const mostBytes = 512 * mebibyte;

/** Receives traces to be scored, whatever program they are of. */
export function createReceiver() {
  const index = new TraceIndex();
  const agents = new Set<string>();
  let requests = 0;
  let held = 0;
  let rejected: string | null = null;
  let onSpans: () => void = () => {};
  const handle = createOtlpHandler(
    (spans, place, bytes) => {
      if (place !== "") return failure({ status: 404, why: `${place}/v1/traces is not known: use /v1/traces` });
      held += bytes;
      if (held > mostBytes) return failure({ status: 413, why: `more than ${mostBytes / mebibyte} MiB of spans` });
      index.add({ read: () => success(spans) }, spans);
      for (const span of spans) if (concernsAgent(span)) agents.add(span.traceId);
      onSpans();
      return success(undefined);
    },
    (why) => {
      requests += 1;
      rejected = why ?? rejected;
    },
  );
  return {
    index,
    handle,
    onSpans: (callback: () => void): void => {
      onSpans = callback;
    },
    counts: () => ({ agentTraces: agents.size, requests, rejected }),
  };
}
