import path from "node:path";
import { gunzipSync } from "node:zlib";
import { attempt, attemptSync, withCleanup } from "../errors/boundary.js";
import type { Diagnostic } from "../errors/error-table.js";
import { kindlmError, type KindlmError } from "../errors/kindlm-error.js";
import { mebibyte, openForReading, readBytes } from "../files/open-for-reading.js";
import type { LinePlace, PlacedLine } from "../files/read-lines.js";
import { failure, success, type Result } from "../result.js";
import { spansOfJson } from "../traces/otlp-json.js";
import { spansOfProtobuf } from "../traces/otlp-protobuf.js";
import { concernsAgent } from "../traces/read-conversation.js";
import { readTrace } from "../traces/read-trace.js";
import type { Span } from "../traces/span.js";
import type { TraceIndex } from "../traces/trace-index.js";
import { plural } from "../values/plural.js";
import { unreadable, type TranscriptSource } from "./transcript-source.js";

/** A document that is not made of lines is held as a whole. */
const mostBytes = 256 * mebibyte;
const headBytes = 4096;
/** A document that is laid out for people has its first key on one of these lines. */
const headLines = 5;

/** Whether a file holds spans in Protocol Buffers: text has no control characters but those of lines. */
async function isBinary(file: string): Promise<boolean> {
  const handle = await openForReading(file);
  const room = Buffer.alloc(headBytes);
  const { bytesRead } = await withCleanup(
    () => handle.read(room, 0, headBytes, 0),
    () => handle.close(),
  );
  return room.subarray(0, bytesRead).some((byte) => byte < 9 || (byte > 13 && byte < 32));
}

/** Adds the spans of a file in Protocol Buffers to the index; false if it is a file of text. Fails with TRANSCRIPT_INVALID. */
export async function addBinarySpans(wanted: string, cwd: string, index: TraceIndex): Promise<Result<boolean>> {
  const file = path.resolve(cwd, wanted);
  const toError = (cause: unknown): KindlmError => unreadable(wanted, cause);
  const binary = await attempt(() => isBinary(file), toError);
  // Whatever cannot be opened here is reported where it is read as text.
  if (!binary.success || !binary.data) return success(false);
  const bytes = await attempt(() => readBytes(file, mostBytes), toError);
  if (!bytes.success) return bytes;
  const spans = spansOfBytes(bytes.data);
  if (!spans.success) return failure(invalid(wanted, spans.error));
  index.add({ read: () => spans }, spans.data);
  return success(true);
}

function spansOfBytes(bytes: Buffer): Result<readonly Span[], string> {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
    const plain = attemptSync(
      () => gunzipSync(bytes, { maxOutputLength: mostBytes }),
      () => "is a gzip file that cannot be unpacked",
    );
    if (!plain.success) return plain;
    return plain.data[0] === 0x7b || plain.data[0] === 0x5b ? spansOfText(plain.data) : spansOfBytes(plain.data);
  }
  return bytes[0] === 0 ? spansOfFrames(bytes) : spansOfProtobuf(bytes);
}

function spansOfText(bytes: Buffer): Result<readonly Span[], string> {
  const text = bytes.toString("utf8");
  const whole = spansOfJson(text);
  if (whole.success) return whole;
  return joined(
    text
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map((line) => () => spansOfJson(line)),
  );
}

/** The file exporter of the collector puts the length in four bytes before each message. */
function spansOfFrames(bytes: Buffer): Result<readonly Span[], string> {
  const frames: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = at + 4 <= bytes.length ? bytes.readUInt32BE(at) : Number.POSITIVE_INFINITY;
    if (at + 4 + length > bytes.length) return failure("is not an OTLP message in Protocol Buffers");
    frames.push(bytes.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return joined(frames.map((frame) => () => spansOfProtobuf(frame)));
}

function joined(parts: readonly (() => Result<readonly Span[], string>)[]): Result<readonly Span[], string> {
  const spans: Span[] = [];
  for (const part of parts) {
    const read = part();
    if (!read.success) return read;
    spans.push(...read.data);
  }
  return success(spans);
}

/** Adds the spans of a source of text to the index; false if it has other lines. Fails with TRANSCRIPT_INVALID. */
export async function addSpans(source: TranscriptSource, index: TraceIndex): Promise<Result<boolean>> {
  const toError = (cause: unknown): KindlmError => unreadable(source.shown, cause);
  const head = await attempt(() => headOf(source), toError);
  if (!head.success) return head;
  if (!/^\s*[[{][^]{0,200}"resourceSpans"/.test(head.data.replace(/^\uFEFF/, ""))) return success(false);
  const problem = await attempt(() => addLines(source, index), toError);
  if (!problem.success) return problem;
  return problem.data === null ? success(true) : failure(invalid(source.shown, problem.data));
}

async function headOf(source: TranscriptSource): Promise<string> {
  let head = "";
  let lines = 0;
  for await (const { line } of source.lines()) {
    head += `${line.slice(0, headBytes)}\n`;
    lines += 1;
    if (lines === headLines || head.length > headBytes) break;
  }
  return head;
}

/** Each line is a request, or all lines together are one. Returns what is wrong. */
async function addLines(source: TranscriptSource, index: TraceIndex): Promise<string | null> {
  const held: string[] = [];
  let number = 0;
  let requests = 0;
  let chars = 0;
  for await (const { line, place } of source.lines()) {
    number += 1;
    const text = line.replace(/^\uFEFF/, "");
    if (text.trim() === "") continue;
    if (held.length === 0) {
      const spans = spansOfJson(text);
      if (spans.success) {
        index.add({ read: () => readAt(source, place) }, spans.data);
        requests += 1;
        continue;
      }
      if (requests > 0) return `${spans.error} (line ${number})`;
    }
    held.push(text);
    chars += text.length;
    if (chars > mostBytes) return `is larger than ${mostBytes / mebibyte} MiB: write one request per line instead`;
  }
  if (held.length === 0) return null;
  const spans = spansOfJson(held.join("\n"));
  if (!spans.success) return spans.error;
  index.add({ read: () => spans }, spans.data);
  return null;
}

function readAt(source: TranscriptSource, place: LinePlace): Result<readonly Span[], string> {
  const line = source.read(place);
  return line.success ? spansOfJson(line.data.replace(/^\uFEFF/, "")) : failure(line.error.message);
}

/** The traces of all files together, each as a line. */
export function traceSource(shown: string, index: TraceIndex, testOf: string | null): TranscriptSource {
  const groups = index.groups();
  const warnings: Diagnostic[] = [];
  const lineOf = (group: readonly string[]): string => group.join(" ");
  async function* lines(): AsyncIterable<PlacedLine> {
    let left = 0;
    for (const [offset, group] of groups.entries()) {
      if (index.spansOf(group).some(concernsAgent)) {
        yield { line: lineOf(group), place: { offset, length: 0 }, isWhole: true };
      } else left += 1;
    }
    if (left === 0) return;
    const message = `${shown} has ${plural(left, "trace")} without a span of a model, a tool or an agent: skipped`;
    warnings.push({ code: "TRANSCRIPT_INVALID", severity: "warning", message });
  }
  return {
    shown,
    isTraced: true,
    lines,
    read: ({ offset }) => success(lineOf(groups[offset] ?? [])),
    parse: (line) => readTrace(index.spansOf(line.split(" ")), testOf),
    warnings,
  };
}

function invalid(shown: string, problem: string): KindlmError {
  return kindlmError("TRANSCRIPT_INVALID", `${shown} ${problem}`, { details: { path: shown, diagnostics: [] } });
}
