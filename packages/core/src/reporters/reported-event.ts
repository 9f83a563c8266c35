import type { RunEvent } from "../engine/run-event.js";
import { redactValue } from "../redaction/redact-value.js";
import { isRecord, type JsonObject } from "../values/json.js";
import { maskFor } from "./case-mask.js";
import { reportedError } from "./json/reported-error.js";
import { reportedAssertion, reportedCase } from "./json/reported-test.js";

/** An event as it may be written down: secrets masked, errors without their cause, nothing that must not be shown. */
export function reportedEvent(
  event: RunEvent,
  options: { redact(text: string): string; verbose: boolean },
): JsonObject {
  const { redact, verbose } = options;
  if (event.type === "assertion") {
    return written(event, redact, {
      result: reportedAssertion(event.result, maskFor([event.result], redact), verbose),
    });
  }
  if (event.type === "case:end") {
    const { assertions, ...rest } = event;
    return written(rest, redact, { result: reportedCase(event.result, assertions, options) });
  }
  if ("error" in event && event.error !== undefined && event.error !== null) {
    return written(event, redact, { error: reportedError(event.error, redact, verbose) });
  }
  return written(event, redact, {});
}

function written(
  event: Pick<RunEvent, "seq" | "time" | "channel" | "type">,
  redact: (text: string) => string,
  instead: JsonObject,
): JsonObject {
  const { seq, time, channel, type, ...rest } = event;
  const own = redactValue({ ...rest, ...instead }, redact);
  return { seq, time, channel, type, ...(isRecord(own) ? own : {}) };
}
