import path from "node:path";
import { idsOf } from "../engine/summary/cases-of.js";
import type { SuiteResult } from "../engine/run-result.js";
import type { JournalHeader } from "../journal/journal-record.js";
import { readJournalHeader } from "../journal/read-journal.js";
import { scanRunFile } from "../journal/read-run-file.js";
import type { RunHead } from "../journal/run-file.js";
import { type RunFolder, findRunFolder, runFolderAt } from "../journal/run-folder.js";
import { success, type Result, failure } from "../result.js";
import type { MergeCandidate } from "./decide-merge.js";
import { PackedCases, type Room } from "./packed-cases.js";
import { loadPartTrials, type PartTrials } from "./part-trials.js";
import { readdir } from "node:fs/promises";
import { attempt } from "../errors/boundary.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { readError } from "../files/store-error.js";

/** A run folder with what a merge needs of it. */
export interface LoadedCandidate extends MergeCandidate {
  header: JournalHeader;
  /** Null where the run never came to its end. */
  run: LoadedRun | null;
  /** Looks for the trials of the cases of the run in the journal. Fails with STORE_CORRUPT. */
  loadTrials(): Promise<Result<PartTrials>>;
}

interface LoadedRun {
  head: RunHead;
  suites: readonly SuiteResult[];
}

/**
 * Reads the run folders that are meant: by their paths, by the path of a folder that holds several, or by the ids of
 * runs below `root`. Fails with RUN_NOT_FOUND where nothing is found, and with STORE_CORRUPT; an unfinished run is not a
 * failure yet.
 */
export async function loadCandidates(
  written: readonly string[],
  { root, cwd, room }: { root: string; cwd: string; room: Room },
): Promise<Result<readonly LoadedCandidate[]>> {
  const found: NamedFolder[] = [];
  for (const one of written) {
    // Few, and in the order in which they are written.
    const folders = await foldersOf(one, root, cwd);
    if (!folders.success) return folders;
    found.push(...folders.data);
  }
  const candidates: LoadedCandidate[] = [];
  for (const { folder, isNamed } of found) {
    const shownOf = (file: string): string => path.relative(cwd, file) || file;
    const header = await readJournalHeader(folder.journal, shownOf(folder.journal));
    if (!header.success) return header;
    // A folder that keeps all runs of a project holds whole ones too; nobody asked for those.
    if (header.data.options.shard === undefined && !isNamed) continue;
    // One by one: each may be large.
    const loaded = await loadCandidate(folder, header.data, room, shownOf);
    if (!loaded.success) return loaded;
    candidates.push(loaded.data);
  }
  return success(candidates);
}

async function loadCandidate(
  folder: RunFolder,
  header: JournalHeader,
  room: Room,
  shownOf: (file: string) => string,
): Promise<Result<LoadedCandidate>> {
  const read = await loadRun(folder.result, shownOf(folder.result), header.runId, room);
  if (!read.success && read.error.code !== "RUN_NOT_FOUND") return read;
  const run = read.success ? read.data : null;
  return success({
    shown: shownOf(folder.path),
    id: header.runId,
    kindlm: header.kindlm,
    shard: header.options.shard ?? null,
    header,
    run,
    loadTrials: () => loadPartTrials(folder.journal, shownOf(folder.journal), idsOf(run?.suites ?? [])),
  });
}

async function loadRun(file: string, shown: string, id: string, room: Room): Promise<Result<LoadedRun>> {
  const cases = new PackedCases(room);
  const lengths: number[] = [];
  const read = await scanRunFile(file, shown, id, (test, line, suite) => {
    cases.add(test, line);
    lengths[suite] = (lengths[suite] ?? 0) + 1;
  });
  if (!read.success) return read;
  let from = 0;
  const suites = read.data.suites.map((suite, index): SuiteResult => {
    const length = lengths[index] ?? 0;
    from += length;
    return { ...suite, tests: cases.list(from - length, length) };
  });
  return success({ head: read.data.head, suites });
}

/** A run folder, and whether somebody named it or it was found in a folder that holds several. */
interface NamedFolder {
  folder: RunFolder;
  isNamed: boolean;
}

/** How deep run folders lie in what a CI system makes of them: artifact, .kindlm, runs, id, and some to spare. */
const deepest = 6;
const ofRun = new Set(["journal.jsonl", "run.json"]);

async function foldersOf(written: string, root: string, cwd: string): Promise<Result<readonly NamedFolder[]>> {
  const folder = path.resolve(cwd, written);
  const names = await namesIn(folder);
  if (names === null) {
    const byId = await findRunFolder(root, written, cwd);
    return byId.success ? success([{ folder: byId.data, isNamed: true }]) : byId;
  }
  if (names.files.some((name) => ofRun.has(name))) return success([{ folder: runFolderAt(folder), isNamed: true }]);
  const inside = await search(folder, names.folders, deepest);
  if (inside.length > 0) return success(inside.map((one) => ({ folder: runFolderAt(one), isNamed: false })));
  return failure(kindlmError("RUN_NOT_FOUND", `No run found in ${written}`, { details: { run: written } }));
}

async function search(folder: string, names: readonly string[], depth: number): Promise<readonly string[]> {
  if (depth === 0) return [];
  const found: string[] = [];
  for (const name of names.toSorted()) {
    const inner = path.join(folder, name);
    const content = await namesIn(inner);
    if (content === null || name === "node_modules") continue;
    if (content.files.some((file) => ofRun.has(file))) found.push(inner);
    else found.push(...(await search(inner, content.folders, depth - 1)));
  }
  return found;
}

/** Null if it is not a folder. */
async function namesIn(folder: string): Promise<{ files: readonly string[]; folders: readonly string[] } | null> {
  const read = await attempt(
    () => readdir(folder, { withFileTypes: true }),
    (cause) => readError(folder, cause),
  );
  if (!read.success) return null;
  return {
    files: read.data.filter((entry) => entry.isFile()).map((entry) => entry.name),
    folders: read.data.filter((entry) => entry.isDirectory()).map((entry) => entry.name),
  };
}
