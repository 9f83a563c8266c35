import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { isIP, type AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { createAdaptorServer } from "@hono/node-server";
import { getConnInfo } from "@hono/node-server/conninfo";
import { createSystemClock } from "@kindlm/core";
import type { Hono } from "hono";
import type { LogEntry } from "../api/app-world.js";
import { createApp } from "../api/create-app.js";
import { OidcIssuer } from "../auth/oidc-issuer.js";
import { explainFailure } from "../database/explain-failure.js";
import type { LockOwner } from "../database/folder-lock.js";
import { schemaVersion } from "../database/migrate.js";
import { openEmbedded, openPostgres, type OpenDatabase } from "../database/open-database.js";
import { codeOf } from "../database/retry-conflicts.js";
import { setPlan } from "../management/set-plan.js";
import { offerSetup } from "../management/set-up.js";
import { Metrics } from "./metrics.js";
import { startBackgroundWork } from "./background-work.js";
import { exportData, importData, readLines } from "./move-data.js";
import { clientAddress } from "./proxy-address.js";
import { parseSettings, usage, type ServerSettings } from "./parse-settings.js";

/** What the server uses of its process. */
export interface ServerProcess extends LockOwner {
  env: Readonly<Record<string, string | undefined>>;
  stdin: NodeJS.ReadableStream;
  stdout: NodeJS.WritableStream;
  stderr: { write(text: string): unknown };
  once(signal: "SIGINT" | "SIGTERM", listener: () => void): unknown;
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
  let opened: OpenDatabase;
  try {
    opened =
      settings.database === null ? await openEmbedded(settings.data, program) : await openPostgres(settings.database);
  } catch (error) {
    const failure = explainFailure(error);
    const { database } = settings;
    const reason = withoutPassword(messageOf(error), database);
    if (failure === null || failure.message === reason) return fail(program, failure?.message ?? reason, failure?.fix);
    return fail(program, `${failure.message}: ${reason}`, failure.fix);
  }
  return settings.action === "serve" ? serve(settings, opened, program) : move(settings, opened, program);
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

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

async function serve(settings: ServerSettings, opened: OpenDatabase, program: ServerProcess): Promise<0 | 1> {
  try {
    return await serveFrom(opened, settings, program);
  } finally {
    await opened.close();
  }
}

/** The secret comes from the environment, since others can see the words of a process. */
function signInServiceOf({ oidc }: ServerSettings, { env }: ServerProcess, now: () => number) {
  if (oidc === null) return {};
  const clientSecret = env["KINDLM_OIDC_CLIENT_SECRET"] ?? "";
  return { signInService: { issuer: new OidcIssuer(oidc.issuer, now), clientId: oidc.clientId, clientSecret } };
}

async function serveFrom(opened: OpenDatabase, settings: ServerSettings, program: ServerProcess): Promise<0 | 1> {
  const metrics = new Metrics(opened);
  let isServing = true;
  let [origin, listening] = [settings.origin ?? "", ""];
  const clock = createSystemClock();
  const now = (): number => clock.now();
  const log = (entry: LogEntry): void => {
    program.stdout.write(`${JSON.stringify({ ...entry, timestamp: new Date(now()).toISOString() })}\n`);
  };
  const app = createApp({
    database: opened.database,
    now,
    origin: () => origin,
    listening: () => listening,
    log,
    addressOf: (context) => {
      const direct = getConnInfo(context).remote.address ?? "unknown";
      return clientAddress(direct, context.req.header("x-forwarded-for"), settings.trustProxy);
    },
    githubIssuer: new OidcIssuer(settings.githubIssuer, now),
    ...signInServiceOf(settings, program, now),
    allowsPrivateWebhooks: settings.allowsPrivateWebhooks,
    isServing: () => isServing,
    onAnswer: (answered) => metrics.count(answered),
  });
  addHealth(app, opened, () => isServing);
  const { tls, host, port: wanted, metricsPort } = settings;
  const server = createListener(settings, app);
  if (typeof server === "string") return fail(program, server);
  const failed = await listen(server, wanted, host);
  if (failed !== null) return fail(program, `Could not listen on ${host}:${wanted}: ${failed.message}`, failed.fix);
  const metricsServer = createHttpServer((_, response) => void metrics.render().then((text) => response.end(text)));
  const noMetrics = metricsPort === null ? null : await listen(metricsServer, metricsPort, "127.0.0.1");
  if (noMetrics !== null) {
    server.close();
    return fail(program, `Could not listen on 127.0.0.1:${metricsPort} for metrics: ${noMetrics.message}`);
  }
  const { port } = boundTo(server.address());
  listening = addressAt(tls === null ? "http" : "https", host, port);
  origin = settings.origin ?? listening;
  log({ level: "info", code: "listening", message: `Listening on ${origin}` });
  if (metricsPort !== null) {
    const own = `http://127.0.0.1:${boundTo(metricsServer.address()).port}/metrics`;
    log({ level: "info", code: "listening", message: `Metrics on ${own}` });
  }
  await offerSetup(opened.database, origin, now(), (text) => program.stderr.write(text));
  const background = startBackgroundWork(opened, { now, log }, settings);
  await new Promise<void>((resolve) => {
    program.once("SIGINT", resolve);
    program.once("SIGTERM", resolve);
  });
  isServing = false;
  log({ level: "info", code: "stopping", message: "Stopping: open requests are answered" });
  const closed = once(server, "close");
  server.close();
  metricsServer.close();
  await closed;
  await background.stop();
  return 0;
}

const addressAt = (protocol: string, host: string, port: number): string =>
  `${protocol}://${isIP(host) === 6 ? `[${host}]` : host}:${port}`;

function boundTo(address: string | AddressInfo | null): { port: number } {
  return typeof address === "object" && address !== null ? address : { port: 0 };
}

interface Listening {
  listen(port: number, host: string, listener: () => void): unknown;
  once(event: "error", listener: (error: Error) => void): unknown;
  off(event: "error", listener: (error: Error) => void): unknown;
}

const listenFixes: Readonly<Record<string, string>> = {
  EADDRINUSE: "Stop the program that uses the port, or choose another one with --port",
  EACCES: "Ports below 1024 are for root: choose another one with --port, and put a proxy in front",
  EADDRNOTAVAIL: "--host names an address of this machine, 0.0.0.0, or ::",
};

/** Null once it listens, else why it does not. */
function listen(server: Listening, port: number, host: string): Promise<{ message: string; fix?: string } | null> {
  return new Promise((resolve) => {
    const onError = (error: Error): void => {
      const fix = listenFixes[codeOf(error) ?? ""];
      resolve({ message: error.message, ...(fix === undefined ? {} : { fix }) });
    };
    server.once("error", onError);
    server.listen(port, host, () => {
      server.off("error", onError);
      resolve(null);
    });
  });
}

/** Why a body that trickles in cannot hold its connection for hours: a request has a minute, its head ten seconds. */
const patience = { requestTimeout: 60_000, headersTimeout: 10_000, connectionsCheckingInterval: 5_000 };

/** A server that does not listen yet, or why there is none. */
function createListener({ tls }: ServerSettings, app: Hono) {
  if (tls === null) {
    return createAdaptorServer({ fetch: app.fetch, createServer: createHttpServer, serverOptions: patience });
  }
  try {
    const files = { cert: readFileSync(tls.cert), key: readFileSync(tls.key) };
    const serverOptions = { ...patience, ...files };
    return createAdaptorServer({ fetch: app.fetch, createServer: createHttpsServer, serverOptions });
  } catch (error) {
    return `--tls-cert ${tls.cert} and --tls-key ${tls.key} cannot be used: ${messageOf(error)}`;
  }
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
