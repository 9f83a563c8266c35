import { assertionShape } from "../assertions/assertion-result.js";
import type { RunEvent } from "../engine/run-event.js";
import { errorShape } from "../errors/error-shape.js";
import { redactValue } from "../redaction/redact-value.js";
import { isRecord, type JsonObject } from "../values/json.js";
import { caseReport } from "./report-parts.js";
import { reportView, saidView } from "./report-view.js";

/** An event as it may be written down: secrets masked, errors without their cause, nothing that must not be shown. */
export function reportedEvent(
  event: RunEvent,
  options: { redact(text: string): string; verbose: boolean },
): JsonObject {
  const { redact } = options;
  if (event.type === "assertion") {
    return written(event, redact, { result: assertionShape.report(event.result, saidView([event.result], options)) });
  }
  if (event.type === "case:end") {
    const { assertions, trial: _kept, ...rest } = event;
    return written(rest, redact, { result: caseReport(event.result, assertions, options) });
  }
  if ("error" in event && event.error !== undefined && event.error !== null) {
    return written(event, redact, { error: errorShape.report(event.error, reportView(options)) });
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
