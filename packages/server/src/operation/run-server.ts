import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { setTimeout } from "node:timers/promises";
import type { ServerType } from "@hono/node-server";
import { getConnInfo } from "@hono/node-server/conninfo";
import { createSystemClock } from "@kindlm/core";
import type { Hono } from "hono";
import type { LogEntry } from "../api/app-world.js";
import { renderError, unavailable } from "../api/api-error.js";
import { createApp } from "../api/create-app.js";
import { listensEverywhere } from "../api/own-origins.js";
import { OidcIssuer } from "../auth/oidc-issuer.js";
import { explainFailure } from "../database/explain-failure.js";
import type { LockOwner } from "../database/folder-lock.js";
import { schemaVersion } from "../database/migrate.js";
import { openEmbedded, openPostgres, type OpenDatabase } from "../database/open-database.js";
import { messageOf } from "../database/retry-conflicts.js";
import { setPlan } from "../management/set-plan.js";
import { offerSetup } from "../management/set-up.js";
import { uploadReaders } from "../uploads/upload-readers.js";
import { Metrics } from "./metrics.js";
import { addressAt, boundTo, createListener, listen, type Respond } from "./listener.js";
import { startBackgroundWork } from "./background-work.js";
import { exportData, importData, readLines } from "./move-data.js";
import { renderLogLine } from "./render-log-line.js";
import { clientAddress, networkOf } from "./proxy-address.js";
import { parseSettings, usage, type ServerSettings } from "./parse-settings.js";

/** What the server uses of its process. */
export interface ServerProcess extends LockOwner {
  env: Readonly<Record<string, string | undefined>>;
  stdin: NodeJS.ReadableStream;
  stdout: NodeJS.WritableStream;
  stderr: { write(text: string): unknown };
  once(event: "SIGINT" | "SIGTERM" | "disconnect", listener: () => void): unknown;
  /** Of the process that started this one to speak with it, as `kindlm server` does. False once that has ended. */
  connected?: boolean;
  channel?: { unref(): void } | undefined;
}

/** Runs until a signal stops it. Returns the exit code. */
export async function runServer(words: readonly string[], program: ServerProcess): Promise<0 | 1> {
  const settings = parseSettings(words);
  // Whoever read the log is gone, which does not end the server.
  program.stdout.on("error", () => {});
  if (settings === null) {
    program.stdout.write(usage);
    return 0;
  }
  if (typeof settings === "string") {
    program.stderr.write(`✗ ${settings}\n  See: kindlm-server --help\n`);
    return 1;
  }
  if (settings.action === "serve") return serve(settings, program);
  const opened = await open(settings, program);
  return opened === null ? 1 : move(settings, opened, program);
}

/** Opens and migrates the database. Null if it does not open; the user knows why then. */
async function open({ database, data }: ServerSettings, program: ServerProcess): Promise<OpenDatabase | null> {
  try {
    return database === null ? await openEmbedded(data, program) : await openPostgres(database);
  } catch (error) {
    const failure = explainFailure(error);
    const reason = withoutPassword(messageOf(error), database);
    const isTold = failure === null || failure.message === reason;
    fail(program, isTold ? (failure?.message ?? reason) : `${failure.message}: ${reason}`, failure?.fix);
    return null;
  }
}

function fail(program: ServerProcess, problem: string, fix?: string): 1 {
  program.stderr.write(`✗ ${problem}\n${fix === undefined ? "" : `  ${fix}\n`}`);
  return 1;
}

/** The address of the database, which may hold a password, is in some errors. */
const withoutPassword = (text: string, url: string | null): string => (url === null ? text : text.replaceAll(url, "…"));

async function move({ action, plan }: ServerSettings, opened: OpenDatabase, program: ServerProcess): Promise<0 | 1> {
  try {
    if (plan !== null) {
      program.stdout.write(
        `${await setPlan(opened.database, plan.organization, plan.plan, createSystemClock().now())}\n`,
      );
    } else if (action === "import") await importData(opened.database, readLines(program.stdin));
    else {
      await exportData(opened.database, async (text) => {
        if (!program.stdout.write(text)) await once(program.stdout, "drain");
      });
    }
    return 0;
  } catch (error) {
    return fail(program, `The ${action} failed: ${messageOf(error)}`, explainFailure(error)?.fix);
  } finally {
    await opened.close();
  }
}

async function serve(settings: ServerSettings, program: ServerProcess): Promise<0 | 1> {
  let respond: Respond = () => renderError(unavailable("The server is starting"));
  const server = createListener(settings, (request, connection) => respond(request, connection));
  if (typeof server === "string") return fail(program, server);
  const { host, port } = settings;
  const failed = await listen(server, port, host);
  if (failed !== null) return fail(program, `Could not listen on ${host}:${port}: ${failed.message}`, failed.fix);
  const opened = await open(settings, program);
  try {
    return opened === null
      ? 1
      : await serveFrom(opened, settings, program, { server, answerWith: (app) => (respond = app.fetch) });
  } finally {
    server.close();
    await opened?.close();
  }
}

/** The secret comes from the environment, since others can see the words of a process. */
function signInServiceOf({ oidc }: ServerSettings, { env }: ServerProcess, now: () => number) {
  if (oidc === null) return {};
  const clientSecret = env["KINDLM_OIDC_CLIENT_SECRET"] ?? "";
  return { signInService: { issuer: new OidcIssuer(oidc.issuer, now), clientId: oidc.clientId, clientSecret } };
}

/** Resolves at a signal, and if `kindlm server` was killed: nobody would find the server that it leaves behind. */
const stopOf = (program: ServerProcess): Promise<void> =>
  new Promise((resolve) => {
    program.once("SIGINT", resolve);
    program.once("SIGTERM", resolve);
    program.once("disconnect", resolve);
    if (program.connected === false) resolve();
    // To listen to it alone does not keep the process running.
    program.channel?.unref();
  });

interface Listener {
  server: ServerType;
  answerWith(app: Hono): void;
}

async function serveFrom(
  opened: OpenDatabase,
  settings: ServerSettings,
  program: ServerProcess,
  { server, answerWith }: Listener,
): Promise<0 | 1> {
  // From before it says that it listens: who knows that may stop it at once.
  const stopped = stopOf(program);
  const metrics = new Metrics(opened);
  let isServing = true;
  const { tls, host, metricsPort } = settings;
  const listening = addressAt(tls === null ? "http" : "https", host, boundTo(server.address()).port);
  const origin = settings.origin ?? listening;
  const clock = createSystemClock();
  const now = (): number => clock.now();
  const log = (entry: LogEntry): void => {
    program.stdout.write(renderLogLine(entry, now()));
  };
  const app = createApp({
    database: opened.database,
    now,
    origin: () => origin,
    listening: () => listening,
    log,
    addressOf: (context) => {
      const direct = getConnInfo(context).remote.address ?? "unknown";
      return networkOf(clientAddress(direct, context.req.header("x-forwarded-for"), settings.trustProxy));
    },
    githubIssuer: new OidcIssuer(settings.githubIssuer, now),
    ...signInServiceOf(settings, program, now),
    allowsPrivateWebhooks: settings.allowsPrivateWebhooks,
    isServing: () => isServing,
    onAnswer: (answered) => metrics.count(answered),
  });
  addHealth(app, opened, () => isServing);
  const metricsServer = createHttpServer((_, response) => void metrics.render().then((text) => response.end(text)));
  const noMetrics = metricsPort === null ? null : await listen(metricsServer, metricsPort, "127.0.0.1");
  if (noMetrics !== null) {
    return fail(program, `Could not listen on 127.0.0.1:${metricsPort} for metrics: ${noMetrics.message}`);
  }
  answerWith(app);
  log({ level: "info", code: "listening", message: `Listening on ${origin}` });
  warnOfNames(settings, listening, log);
  if (metricsPort !== null) {
    const own = `http://127.0.0.1:${boundTo(metricsServer.address()).port}/metrics`;
    log({ level: "info", code: "listening", message: `Metrics on ${own}` });
  }
  await offerSetup(opened.database, origin, now(), (text) => program.stderr.write(text));
  uploadReaders.prepare();
  const background = startBackgroundWork(opened, { now, log }, settings);
  await stopped;
  isServing = false;
  log({ level: "info", code: "stopping", message: "Stopping: open requests are answered" });
  const closed = once(server, "close");
  server.close();
  metricsServer.close();
  await closed;
  await background.stop();
  return 0;
}

/** Without a name, a server on all addresses answers its own machine only. */
function warnOfNames({ origin }: ServerSettings, listening: string, log: (entry: LogEntry) => void): void {
  if (origin !== null || !listensEverywhere(listening)) return;
  const message = "Only requests for localhost are answered: name the address that people open with --origin";
  log({ level: "warn", code: "origin", message });
}

const healthMs = { patience: 25, stale: 30_000 };

/**
 * Says whether the database answers, and its schema. A busy embedded database has one connection, so a check that takes
 * long goes on by itself, and the answer is that of the last one.
 */
function addHealth(app: Hono, { database }: OpenDatabase, isServing: () => boolean): void {
  // It was migrated a moment ago.
  let last: { schema: number | null; atMs: number } = { schema: schemaVersion, atMs: performance.now() };
  let running: Promise<void> | null = null;
  const check = async (): Promise<void> => {
    const found = await database
      .selectFrom("schema_version")
      .select("version")
      .executeTakeFirst()
      .catch(() => null);
    last = { schema: found?.version ?? null, atMs: performance.now() };
    running = null;
  };
  app.get("/healthz", async (context) => {
    running ??= check();
    await Promise.race([running, setTimeout(healthMs.patience)]);
    const isFresh = performance.now() - last.atMs < healthMs.stale;
    const isHealthy = last.schema === schemaVersion && isFresh && isServing();
    return context.json({ status: isHealthy ? "ok" : "unavailable", schema: last.schema }, isHealthy ? 200 : 503);
  });
}
