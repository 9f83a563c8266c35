import { rm } from "node:fs/promises";
import { attempt } from "../errors/boundary.js";
import { lockFile } from "../files/lock-file.js";
import { writeError } from "../files/store-error.js";
import { writeAtomically } from "../files/write-atomically.js";
import type { Redactor, RedactedText } from "../redaction/redactor.js";
import { failure, success, type Result } from "../result.js";
import type { Clock } from "../values/clock.js";
import { versionFor, type BaselineEntry, type BaselineHeader } from "./baseline.js";
import type { BaselinePlace } from "./baseline-place.js";
import { isBeyondReach, loadBaseline, type LoadedBaseline } from "./load-baseline.js";
import { isRecord } from "../values/json.js";
import { checksumOf } from "./checksum.js";

/** In their order, each on its own line, so a diff shows only what changed. */
const entryKeys: Readonly<Record<keyof BaselineEntry, true>> = {
  caseId: true,
  passes: true,
  trials: true,
  required: true,
  isPassed: true,
  attack: true,
  deterministic: true,
  checkHash: true,
  agentHash: true,
  agent: true,
  servedBy: true,
  calls: true,
  outputHash: true,
  output: true,
  scores: true,
  costUsd: true,
  latencyMs: true,
  effort: true,
  runs: true,
};

/** What a file is to hold. */
export interface BaselineContent {
  header: BaselineHeader;
  entries: ReadonlyMap<string, BaselineEntry>;
}

/**
 * Changes a baseline as it stands now: who else sets it at the same time loses nothing. It is replaced whole or not at
 * all. Fails with STORE_WRITE_ERROR, and with BASELINE_CORRUPT where a file that is there cannot even be read.
 */
export async function changeBaseline<T>(
  place: BaselinePlace,
  { clock, redactor }: { clock: Clock; redactor: Pick<Redactor, "redactJson"> },
  update: (present: LoadedBaseline) => { content: BaselineContent; outcome: T },
): Promise<Result<T>> {
  const locked = await lockFile(place.path, place.shown, clock);
  if (!locked.success) return locked;
  const present = await loadBaseline(place);
  if (isBeyondReach(present)) {
    await locked.data();
    return failure(present.error);
  }
  const { content, outcome } = update(present);
  const pieces = renderBaseline(content.header, content.entries.values(), redactor.redactJson);
  const written = await writeAtomically(place.path, place.shown, pieces);
  await locked.data();
  return written.success ? success(outcome) : written;
}

/** A file that is not there is none that has to go. Fails with STORE_WRITE_ERROR. */
export function removeBaseline({ path, shown }: BaselinePlace): Promise<Result<void>> {
  return attempt(
    () => rm(path, { force: true }),
    (cause) => writeError(shown, cause),
  );
}

type RedactJson = Redactor["redactJson"];

/**
 * The text of a baseline, piece by piece: a header of one line, which is taken whole in a merge, then a block of lines
 * for each case, in the order of their ids. What is masked on the way is masked before its checksum is taken.
 */
export function* renderBaseline(
  header: BaselineHeader,
  entries: Iterable<BaselineEntry>,
  redactJson: RedactJson,
): Iterable<RedactedText> {
  const { suite, setAt, kindlm, runId, seed, commit, note } = header;
  const first = checked({ suite, setAt, kindlm, runId, seed, commit, note }, redactJson);
  const inOrder = [...entries].toSorted(byId);
  yield redactJson(
    `{\n  "schemaVersion": ${versionFor(inOrder)},\n  "header": ${JSON.stringify(first)},\n  "cases": [`,
  );
  let before = "\n";
  for (const entry of inOrder) {
    const ordered = Object.fromEntries(Object.keys(entryKeys).map((key) => [key, Reflect.get(entry, key)]));
    yield redactJson(`${before}${renderBlock(checked(ordered, redactJson))}`);
    before = ",\n";
  }
  yield redactJson("\n  ]\n}\n");
}

function byId({ caseId: one }: BaselineEntry, { caseId: other }: BaselineEntry): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** The part as it will be read again, with its checksum. */
function checked(part: object, redactJson: RedactJson): Readonly<Record<string, unknown>> {
  const masked: unknown = JSON.parse(redactJson(JSON.stringify(part)));
  const content = isRecord(masked) ? masked : {};
  return { ...content, checksum: checksumOf(content) };
}

function renderBlock(entry: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(entry).map(([key, value]) => `      ${JSON.stringify(key)}: ${renderField(value)}`);
  return `    {\n${lines.join(",\n")}\n    }`;
}

/** Each item of a list has its own line, so added and removed calls are visible one by one. */
function renderField(value: unknown): string {
  if (!Array.isArray(value) || value.length === 0) return JSON.stringify(value);
  return `[\n${value.map((item) => `        ${JSON.stringify(item)}`).join(",\n")}\n      ]`;
}
