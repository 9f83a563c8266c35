import type { CassetteMissDetails } from "../errors/cassette-miss-details.js";
import { kindlmError, type KindlmError } from "../errors/kindlm-error.js";
import { previewCall, preview, renderPath } from "../values/preview.js";
import { keyOf, type CallLine, type CassetteContent, type Entry, type RequestLine } from "./cassette-lines.js";
import { isRecord } from "../values/json.js";

const shownBefore = 20;
const shownLength = 60;

/** Who asked for what is not recorded. */
export interface Asker {
  caseId: string;
  trial: number;
  /** The file of its test, as people know it. */
  file: string;
}

interface Candidate {
  entry: Entry;
  value: unknown;
}

const farApart = 1_000;

/** PROVIDER_CASSETTE_MISS of a request: names the recording that comes nearest, and where the two part. */
export function missedRequest(asked: RequestLine, asker: Asker, content: CassetteContent | null): KindlmError {
  const { request: _key, ...value } = asked;
  const candidates = entriesOf(content).flatMap((entry): readonly Candidate[] => {
    const recorded = content?.requests.get(keyOf(entry));
    if (recorded === undefined) return [];
    const { request: _recordedKey, ...rest } = recorded;
    return [{ entry, value: rest }];
  });
  const to = asked.model === undefined ? "the agent" : `${asked.provider ?? ""} (${asked.model})`;
  return missed(`No recording of this request to ${to}`, { key: asked.request, value }, asker, candidates);
}

/** The same of a tool call. */
export function missedCall(
  call: Pick<CallLine, "call" | "tool" | "args">,
  asker: Asker,
  content: CassetteContent | null,
): KindlmError {
  const candidates = entriesOf(content).flatMap((entry): readonly Candidate[] =>
    "tool" in entry && entry.tool === call.tool ? [{ entry, value: entry.args }] : [],
  );
  const what = `No recording of the call ${previewCall(call.tool, call.args)}`;
  return missed(what, { key: call.call, value: call.args }, asker, candidates);
}

/** The same of a list of tools. */
export function missedList(source: string, { file }: Asker): KindlmError {
  const message = `No recording of the tools of ${source} in ${file}`;
  return kindlmError("PROVIDER_CASSETTE_MISS", message, { details: { sent: false, file } });
}

function missed(
  what: string,
  wanted: { key: string; value: unknown },
  { caseId, trial, file }: Asker,
  candidates: readonly Candidate[],
): KindlmError {
  const nearest = nearestOf(candidates, wanted.value, caseId, trial);
  if (nearest === null) {
    return kindlmError("PROVIDER_CASSETTE_MISS", `${what}: nothing similar in ${file}`, {
      details: { sent: false, file },
    });
  }
  const { entry, value } = nearest;
  const where = placeOf(entry, caseId);
  const difference = keyOf(entry) === wanted.key ? null : findDifference(value, wanted.value);
  if (difference === null) {
    const isSameTrial = entry.case === caseId && entry.trial === trial;
    const message = isSameTrial
      ? `${what}: it is repeated more often than recorded; the last recording is ${where}`
      : `${what} in trial ${trial}: only ${where} has it`;
    return kindlmError("PROVIDER_CASSETTE_MISS", message, { details: { sent: false, file, nearest: where } });
  }
  const { path, recorded, asked } = difference;
  const message = `${what}: the nearest, ${where}, differs at ${path}: recorded ${recorded}, now ${asked}`;
  const details: CassetteMissDetails = { sent: false, file, nearest: where, differsAt: path, recorded, asked };
  return kindlmError("PROVIDER_CASSETTE_MISS", message, { details });
}

/** The one with the fewest differences; among equals one of the same trial, then one of the same case. */
function nearestOf(candidates: readonly Candidate[], asked: unknown, caseId: string, trial: number): Candidate | null {
  let best: { candidate: Candidate; distance: number; kinship: number } | null = null;
  for (const candidate of candidates) {
    const { entry } = candidate;
    const kinship = entry.case === caseId ? (entry.trial === trial ? 2 : 1) : 0;
    const distance = countDifferences(candidate.value, asked, Math.min(farApart, (best?.distance ?? farApart) + 1));
    const isNearer =
      best === null || distance < best.distance || (distance === best.distance && kinship >= best.kinship);
    if (isNearer) best = { candidate, distance, kinship };
  }
  return best?.candidate ?? null;
}

function placeOf(entry: Entry, caseId: string): string {
  const turn = "turn" in entry ? `turn ${entry.turn} of ` : "a call in ";
  return `${turn}trial ${entry.trial}${entry.case === caseId ? "" : ` of ${entry.case}`}`;
}

function entriesOf(content: CassetteContent | null): readonly Entry[] {
  return content === null ? [] : [...content.cases.values()].flatMap((trials) => [...trials.values()].flat());
}

interface Difference {
  /** Such as `messages[0].content`. */
  path: string;
  recorded: string;
  asked: string;
}

type Steps = readonly (string | number)[];

/** The first place where two values differ, in the order of their keys; null where they are equal. */
export function findDifference(recorded: unknown, asked: unknown): Difference | null {
  for (const { steps, left, right } of differences(recorded, asked, [])) {
    return { path: renderPath(steps) || "the whole", ...shownApart(left, right) };
  }
  return null;
}

/** How many places differ, up to `most`. */
export function countDifferences(recorded: unknown, asked: unknown, most: number): number {
  const found = differences(recorded, asked, []);
  let count = 0;
  while (count < most && found.next().done !== true) count += 1;
  return count;
}

function* differences(
  left: unknown,
  right: unknown,
  steps: Steps,
): Generator<{ steps: Steps; left: unknown; right: unknown }> {
  if (Array.isArray(left) && Array.isArray(right)) {
    for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
      yield* differences(left[index], right[index], [...steps, index]);
    }
  } else if (isRecord(left) && isRecord(right)) {
    for (const key of [...new Set([...Object.keys(left), ...Object.keys(right)])].toSorted()) {
      yield* differences(left[key], right[key], [...steps, key]);
    }
  } else if (!Object.is(left, right)) {
    yield { steps, left, right };
  }
}

/** Long strings are shown from shortly before their first difference. */
function shownApart(left: unknown, right: unknown): { recorded: string; asked: string } {
  if (typeof left !== "string" || typeof right !== "string") {
    return { recorded: preview(left, shownLength), asked: preview(right, shownLength) };
  }
  let same = 0;
  while (same < left.length && left[same] === right[same]) same += 1;
  const from = Math.max(0, same - shownBefore);
  return { recorded: excerpt(left, from), asked: excerpt(right, from) };
}

function excerpt(text: string, from: number): string {
  const end = from + shownLength;
  return JSON.stringify(`${from > 0 ? "…" : ""}${text.slice(from, end)}${end < text.length ? "…" : ""}`);
}
