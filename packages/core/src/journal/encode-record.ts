import { createHash } from "node:crypto";
import type { TrialResult } from "../engine/run-result.js";
import { trialShape } from "../engine/trial-result.js";
import { attemptSync } from "../errors/boundary.js";
import { mapErrors } from "../errors/error-shape.js";
import { redactValue } from "../redaction/redact-value.js";
import type { RedactedText, Redactor } from "../redaction/redactor.js";
import type { ContentPart, Message } from "../transcript/message.js";
import type { JournalRecord } from "./journal-record.js";
import { plainError } from "./plain-error.js";

/** One record as one line, without its line feed and without secrets. */
export function encodeRecord(record: JournalRecord, { redactJson }: Pick<Redactor, "redactJson">): RedactedText {
  return redactJson(lineOf(record));
}

/** The same with all that is in it, for those who look for secrets in many lines at a time. */
export function lineOf(record: JournalRecord): string {
  const plain = record.kind === "trial" ? { ...record, trial: storable(record.trial) } : record;
  // What the tools of a test and its own assertions return is not always JSON.
  const line = attemptSync(
    () => JSON.stringify(plain),
    () => null,
  );
  return line.success ? line.data : JSON.stringify(redactValue(plain, (text) => text));
}

/** Without what only the conversation itself needed, and with errors in a form that can be read back. */
function storable(trial: TrialResult): TrialResult {
  const plain = mapErrors(trialShape, trial, plainError);
  return plain.messages.some(isBulky) ? { ...plain, messages: plain.messages.map(slimmed) } : plain;
}

function isBulky(message: Message): boolean {
  if (message.role === "assistant") return message.providerData !== undefined;
  return message.role === "user" && typeof message.content !== "string";
}

function slimmed(message: Message): Message {
  if (message.role === "assistant") {
    const { providerData: _sentBack, ...rest } = message;
    return rest;
  }
  if (message.role !== "user" || typeof message.content === "string") return message;
  return { ...message, content: message.content.map(withoutData) };
}

/** An image can be larger than all the rest of its run; its digest shows whether it was the same. */
function withoutData(part: ContentPart): ContentPart {
  if (part.type !== "image" || part.source.kind !== "base64") return part;
  const data = `sha256:${createHash("sha256").update(part.source.data).digest("hex")}`;
  return { ...part, source: { ...part.source, data } };
}
