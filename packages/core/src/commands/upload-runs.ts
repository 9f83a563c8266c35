import { locateRoot, type ProjectPlace } from "../config/locate-root.js";
import type { KindlmError } from "../errors/kindlm-error.js";
import type { RunResult } from "../engine/run-result.js";
import { judgedUnkept } from "../run/unkept-runs.js";
import { findRunFolder } from "../journal/run-folder.js";
import { success, type Result } from "../result.js";
import { withRunWorld, type Environment, type RunWorld } from "../run/environment.js";
import type { SentRun, ServerConnection } from "../upload/client/call-server.js";
import { ciContextOf } from "../upload/client/ci-context.js";
import { openServer } from "../upload/client/open-server.js";
import { Outbox, type OutboxEntry } from "../upload/client/outbox.js";
import { describeEndedRun, describeStoredRun, sendStoredRun, type StoredRun } from "../upload/client/stored-run.js";
import { readUploadConfig } from "../upload/client/upload-config.js";
import type { UploadSettings } from "../config/upload-settings.js";

export type { SentRun } from "../upload/client/call-server.js";

/** Which runs are sent, where, and what of them. */
export interface UploadOptions extends ProjectPlace {
  /** IDs, unique prefixes, or folders. Default: the newest; with `pending`, none. */
  runs?: readonly string[];
  /** Sends the runs whose upload failed. They are also sent after others that succeeded. */
  pending?: boolean;
  /** Sends messages and conversations, whatever the config says. */
  transcripts?: boolean;
  /** Address of the server. Default: `KINDLM_SERVER`, or `upload.server` of the config. */
  server?: string;
  /** Name of the project on the server. Default: `upload.project` of the config, or that of the run. */
  project?: string;
  /** A run that has just ended, in place of `runs`: all of it takes at most 30 s, and what fails is kept for later. */
  after?: RunResult;
}

/** What became of one run. */
export interface RunUpload {
  run: string;
  /** It had waited for this. */
  isPending: boolean;
  sent: Result<SentRun>;
  /** The upload failed, and the run waits for a later one. */
  isKept: boolean;
}

export interface UploadReport {
  uploads: readonly RunUpload[];
}

/** The documents of one run as the server gets them: `schemas/results-server.openapi.json` has their fields. */
export interface UploadBody {
  run: { run: string };
  /** Rejects if the journal is damaged. */
  cases: AsyncIterable<object>;
}

/**
 * Sends finished runs to a results server: their measurements, and more only if the user includes it.
 *
 * Fails with CLOUD_AUTH_ERROR if there is no server or no token for it, and with the codes of configs. What a single run
 * failed with is in its `sent`: RUN_NOT_FOUND, STORE_CORRUPT, and all CLOUD codes; with `after`, all codes.
 */
export function uploadRuns(options: UploadOptions, environment: Environment = {}): Promise<Result<UploadReport>> {
  return withRunWorld(environment, async (world) => {
    const prepared = await prepare(options, world);
    const { outbox } = prepared;
    const { after } = options;
    const opened = await open(options, prepared, world);
    if (!opened.success && after === undefined) return opened;
    const send: Send = async (describe) => {
      if (!opened.success) return opened;
      const { server, project } = opened.data;
      const stored = await describe();
      return stored.success ? sendStoredRun(server, stored.data, project ?? stored.data.run.project) : stored;
    };
    const uploads =
      after === undefined
        ? await sendWanted(prepared, options, world, send)
        : [await sendEnded(after, prepared, options, world, send)];
    if (uploads.every(({ sent }) => sent.success)) {
      const waiting = (run: string, entry: OutboxEntry) =>
        send(() => describeStoredRun(run, settingsFor(options, world, entry)));
      uploads.push(...(await drain(outbox, waiting)));
    }
    return success({ uploads });
  });
}

type Send = (describe: () => Promise<Result<StoredRun>>) => Promise<Result<SentRun>>;

async function sendWanted(
  { wanted, root, entry, outbox }: Prepared,
  options: UploadOptions,
  world: RunWorld,
  send: Send,
): Promise<RunUpload[]> {
  const uploads: RunUpload[] = [];
  for (const run of wanted) {
    // One after the other: each may take what the server allows.
    const found = await findRunFolder(root, run, world.cwd);
    const id = found.success ? found.data.id : run;
    const settings = settingsFor(options, world, entry);
    const sent = found.success ? await send(() => describeStoredRun(run, settings)) : found;
    uploads.push({ run: id, isPending: false, sent, isKept: false });
    if (sent.success) await outbox.remove(id);
  }
  return uploads;
}

async function sendEnded(
  after: RunResult,
  { entry, outbox }: Prepared,
  options: UploadOptions,
  world: RunWorld,
  send: Send,
): Promise<RunUpload> {
  const { id } = after.run;
  const sent = await send(() => describeEndedRun(after, settingsFor(options, world, entry)));
  const isOver = sent.success || isLost(sent.error);
  // It may have waited since it was interrupted.
  if (isOver) await outbox.remove(id);
  const isKept = !isOver && judgedUnkept(after) === null && (await outbox.add(id, entry)).success;
  return { run: id, isPending: false, sent, isKept };
}

async function open(
  { server: flag, after, ...options }: UploadOptions,
  { config }: Prepared,
  world: RunWorld,
): Promise<Result<{ server: ServerConnection; project: string | null }>> {
  if (!config.success) return config;
  const project = options.project ?? config.data.project;
  const wanted = { flag, config: config.data.server, project };
  const opened = await openServer(wanted, world, { isBounded: after !== undefined });
  return opened.success ? success({ server: opened.data.server, project }) : opened;
}

/** What an upload of one run would send, without sending it. Fails with RUN_NOT_FOUND, STORE_CORRUPT, and those of configs. */
export function describeUpload(options: UploadOptions, environment: Environment = {}): Promise<Result<UploadBody>> {
  return withRunWorld(environment, async (world) => {
    const { wanted, entry, config } = await prepare(options, world);
    if (!config.success) return config;
    return describeStoredRun(wanted[0] ?? null, settingsFor(options, world, entry));
  });
}

interface Prepared {
  wanted: readonly string[];
  root: string;
  entry: OutboxEntry;
  outbox: Outbox;
  config: Result<UploadSettings>;
}

async function prepare(options: UploadOptions, world: RunWorld): Promise<Prepared> {
  const { runs = [], pending = false, transcripts = false } = options;
  const root = await locateRoot(options, world.cwd);
  const config = await readUploadConfig(options, world);
  const ofConfig = config.success ? config.data.include : [];
  const { attempt, branch } = ciContextOf(world.env);
  return {
    wanted: runs.length === 0 && !pending ? ["last"] : runs,
    root,
    entry: { include: transcripts ? ["messages", "transcripts"] : ofConfig, ciAttempt: attempt, branch },
    outbox: new Outbox(root, world.redactor),
    config,
  };
}

function settingsFor(place: ProjectPlace, { cwd, redactor }: RunWorld, entry: OutboxEntry) {
  return { place, cwd, entry, redact: (text: string) => redactor.redact(text) };
}

/** Sends what waits, the oldest first, until the server is found not to take anything. */
async function drain(
  outbox: Outbox,
  send: (run: string, entry: OutboxEntry) => Promise<Result<SentRun>>,
): Promise<readonly RunUpload[]> {
  const uploads: RunUpload[] = [];
  for (const [run, entry] of await outbox.list()) {
    const sent = await send(run, entry);
    const isOver = sent.success || isLost(sent.error);
    uploads.push({ run, isPending: true, sent, isKept: !isOver });
    if (isOver) await outbox.remove(run);
    else if (!sent.success && !isAboutRun(sent.error)) break;
  }
  return uploads;
}

/** Whether no later upload of this run can succeed. */
function isLost(error: KindlmError): boolean {
  if (error.code === "RUN_NOT_FOUND" || error.code === "STORE_CORRUPT") return true;
  return error.code === "CLOUD_UPLOAD_ERROR" && error.details?.status === 409;
}

/** Whether the server refused this run, and may take another one. */
function isAboutRun(error: KindlmError): boolean {
  return error.code === "CLOUD_UPLOAD_ERROR" && error.details?.retryable !== true && error.details?.isAborted !== true;
}
