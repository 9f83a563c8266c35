import { kindlmError, type KindlmError } from "../errors/kindlm-error.js";
import { failure, success, type Result } from "../result.js";
import { withRunWorld, type Environment } from "../run/environment.js";
import type { ServerConnection } from "../upload/client/call-server.js";
import { noProject, openServer } from "../upload/client/open-server.js";
import { pageOf } from "../upload/client/send-run.js";
import { readUploadConfig } from "../upload/client/upload-config.js";
import { isList, isRecord } from "../values/json.js";
import type { ServerOptions } from "./server-accounts.js";

/** The project that is meant. */
export interface ProjectOptions extends ServerOptions {
  /** Its name on the server. Default: `upload.project` or `project` of the config. */
  project?: string;
}

/** A run on the results server, as far as the server says. */
export interface RemoteRun {
  id: string;
  /** Page of the run. */
  url: string;
  verdict: string | null;
  branch: string | null;
  commit: string | null;
  /** ISO 8601. */
  startedAt: string | null;
  /** Of cases. */
  counts: { passed: number; failed: number; errored: number; skipped: number };
  costUsd: number | null;
}

export interface RemoteRuns {
  runs: readonly RemoteRun[];
  /** True if the server has older runs. */
  hasMore: boolean;
}

/** Of one request. */
const pageSize = 200;

/** The newest runs of the project, at most `most` of them, the newest first. Fails with the CLOUD codes, and those of configs. */
export function listRemoteRuns(
  { most, ...options }: ProjectOptions & { most: number },
  environment: Environment = {},
): Promise<Result<RemoteRuns>> {
  return askProject<RemoteRuns>(options, environment, async (ask) => {
    const runs: RemoteRun[] = [];
    let after = "";
    while (runs.length < most) {
      const page = Math.min(pageSize, most - runs.length);
      // Each page begins where the one before it ends.
      const asked = await ask(`/runs?most=${page}${after}`);
      if (!asked.success) return asked;
      const { server, data } = asked.data;
      const { items, next } = data;
      const read = isList(items) ? items.map((run) => readRemoteRun(server, run)) : [null];
      const known = read.filter((run) => run !== null);
      if (known.length < read.length) return failure(notUnderstood(server));
      runs.push(...known);
      if (typeof next !== "string" || known.length === 0) return success({ runs, hasMore: false });
      after = `&after=${encodeURIComponent(next)}`;
    }
    return success({ runs: runs.slice(0, most), hasMore: true });
  });
}

/** One run of the project. Fails as `listRemoteRuns` does. */
export function findRemoteRun(
  { run, ...options }: ProjectOptions & { run: string },
  environment: Environment = {},
): Promise<Result<RemoteRun>> {
  return askProject(options, environment, async (ask) => {
    const asked = await ask(`/runs/${encodeURIComponent(run)}`);
    if (!asked.success) return asked;
    const { server, data } = asked.data;
    const found = readRemoteRun(server, data["row"]);
    return found === null ? failure(notUnderstood(server)) : success(found);
  });
}

interface Asked {
  server: ServerConnection;
  data: Readonly<Record<string, unknown>>;
}

function askProject<T>(
  options: ProjectOptions,
  environment: Environment,
  read: (ask: (path: string) => Promise<Result<Asked>>) => Promise<Result<T>>,
): Promise<Result<T>> {
  return withRunWorld(environment, async (world) => {
    const config = await readUploadConfig(options, world);
    if (!config.success) return config;
    const { project = config.data.project } = options;
    const opened = await openServer({ flag: options.server, config: config.data.server, project }, world);
    if (!opened.success) return opened;
    if (project === null) return failure(noProject());
    const { server } = opened.data;
    return read(async (path) => {
      const answered = await server.call({ method: "GET", path: `/projects/${encodeURIComponent(project)}${path}` });
      return answered.success ? success({ server, data: answered.data.data }) : answered;
    });
  });
}

/** Null if it is not a run. Other fields than its id may be missing: later servers have more of them, and earlier ones fewer. */
function readRemoteRun(server: ServerConnection, value: unknown): RemoteRun | null {
  if (!isRecord(value) || typeof value["run"] !== "string") return null;
  const { run: id } = value;
  const startedMs = numberIn(value, "started_ms");
  const count = (key: string): number => numberIn(value, key) ?? 0;
  return {
    id,
    url: pageOf(server, id, value["url"]),
    verdict: textIn(value, "verdict"),
    branch: textIn(value, "branch"),
    commit: textIn(value, "commit"),
    startedAt: startedMs === null ? null : new Date(startedMs).toISOString(),
    counts: {
      passed: count("passed"),
      failed: count("failed"),
      errored: count("errored"),
      skipped: count("skipped"),
    },
    costUsd: numberIn(value, "cost_usd"),
  };
}

function textIn(value: Readonly<Record<string, unknown>>, key: string): string | null {
  const text = value[key];
  return typeof text === "string" ? text : null;
}

function numberIn(value: Readonly<Record<string, unknown>>, key: string): number | null {
  const number = value[key];
  return typeof number === "number" ? number : null;
}

function notUnderstood({ address }: ServerConnection): KindlmError {
  const hint = "Update KindLM and the server to the same version";
  const message = `${address} answered with runs that this version of KindLM cannot read`;
  return kindlmError("CLOUD_UPLOAD_ERROR", message, { details: { server: address, hint } });
}
