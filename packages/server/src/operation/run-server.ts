import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { isIP, type AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { createAdaptorServer } from "@hono/node-server";
import { getConnInfo } from "@hono/node-server/conninfo";
import { createSystemClock } from "@kindlm/core";
import type { Context, Hono } from "hono";
import { sql } from "kysely";
import type { LogEntry } from "../api/app-world.js";
import { createApp } from "../api/create-app.js";
import { OidcIssuer } from "../auth/oidc-issuer.js";
import { createSecret } from "../auth/secrets.js";
import type { LockOwner } from "../database/folder-lock.js";
import { schemaVersion } from "../database/migrate.js";
import { openEmbedded, openPostgres, type OpenDatabase } from "../database/open-database.js";
import { startBackgroundWork } from "./background-work.js";
import { exportData, importData } from "./move-data.js";
import { parseSettings, usage, type ServerSettings } from "./parse-settings.js";

/** What the server uses of its process. */
export interface ServerProcess extends LockOwner {
  stdin: NodeJS.ReadableStream;
  stdout: NodeJS.WritableStream;
  stderr: { write(text: string): unknown };
  once(signal: "SIGINT" | "SIGTERM", listener: () => void): unknown;
}

const setupMs = 15 * 60_000;

/** Runs until a signal stops it. Returns the exit code. */
export async function runServer(words: readonly string[], program: ServerProcess): Promise<0 | 1> {
  const settings = parseSettings(words);
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
    program.stderr.write(`✗ The database did not open: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
  return settings.action === "serve" ? serve(settings, opened, program) : move(settings, opened, program);
}

async function move({ action }: ServerSettings, opened: OpenDatabase, program: ServerProcess): Promise<0 | 1> {
  try {
    if (action === "import") await importData(opened.database, createInterface({ input: program.stdin }));
    else {
      await exportData(opened.database, async (text) => {
        if (!program.stdout.write(text)) await once(program.stdout, "drain");
      });
    }
    return 0;
  } catch (error) {
    program.stderr.write(`✗ The ${action} failed: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  } finally {
    await opened.close();
  }
}

async function serve(settings: ServerSettings, opened: OpenDatabase, program: ServerProcess): Promise<0 | 1> {
  const { database } = opened;
  const metrics = new Metrics();
  let isServing = true;
  let [origin, listening] = [settings.origin ?? "", ""];
  const clock = createSystemClock();
  const now = (): number => clock.now();
  const log = (entry: LogEntry): void => {
    program.stdout.write(`${JSON.stringify({ ...entry, timestamp: new Date(now()).toISOString() })}\n`);
  };
  const app = createApp({
    database,
    now,
    origin: () => origin,
    listening: () => listening,
    log,
    addressOf: (context) => addressOf(context, settings.trustProxy),
    githubIssuer: new OidcIssuer(settings.githubIssuer, now),
    allowsPrivateWebhooks: settings.allowsPrivateWebhooks,
    isServing: () => isServing,
    onAnswer: (answered) => metrics.count(answered),
  });
  addHealth(app, opened, () => isServing);
  const { tls } = settings;
  const server = createListener(settings, app);
  const failed = await listen(server, settings.port, settings.host);
  if (failed !== null) {
    program.stderr.write(`✗ Could not listen on ${settings.host}:${settings.port}: ${failed}\n`);
    await opened.close();
    return 1;
  }
  const metricsServer = createHttpServer((_request, response) => response.end(metrics.render()));
  if (settings.metricsPort !== null) await listen(metricsServer, settings.metricsPort, "127.0.0.1");
  const { port } = boundTo(server.address());
  listening = addressAt(tls === null ? "http" : "https", settings.host, port);
  origin = settings.origin ?? listening;
  log({ level: "info", code: "listening", message: `Listening on ${origin}` });
  await offerSetup(opened, origin, now(), program);
  const background = startBackgroundWork({ database, now, log }, settings);
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
  await opened.close();
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

/** Null once it listens, else why it does not. */
function listen(server: Listening, port: number, host: string): Promise<string | null> {
  return new Promise((resolve) => {
    const onError = (error: Error): void => resolve(error.message);
    server.once("error", onError);
    server.listen(port, host, () => {
      server.off("error", onError);
      resolve(null);
    });
  });
}

function createListener({ tls }: ServerSettings, app: Hono) {
  const server = createAdaptorServer({
    fetch: app.fetch,
    ...(tls === null
      ? { createServer: createHttpServer }
      : {
          createServer: createHttpsServer,
          serverOptions: { cert: readFileSync(tls.cert), key: readFileSync(tls.key) },
        }),
  });
  if ("requestTimeout" in server) {
    // A body that trickles in would hold its connection for hours.
    server.requestTimeout = 60_000;
    server.headersTimeout = 10_000;
  }
  return server;
}

function addHealth(app: Hono, { database }: OpenDatabase, isServing: () => boolean): void {
  app.get("/healthz", async (context) => {
    const { rows } = await sql<{ version: number }>`select version from schema_version`.execute(database);
    const isHealthy = rows[0]?.version === schemaVersion && isServing();
    return context.json({ status: isHealthy ? "ok" : "unavailable", schema: rows[0]?.version }, isHealthy ? 200 : 503);
  });
}

/** A server without an organization prints a link that makes one. */
async function offerSetup({ database }: OpenDatabase, origin: string, nowMs: number, program: ServerProcess) {
  const org = await database.selectFrom("orgs").select("id").limit(1).executeTakeFirst();
  if (org !== undefined) return;
  const { secret, hash } = createSecret("kls_");
  await database.deleteFrom("setup_links").execute();
  await database
    .insertInto("setup_links")
    .values({ hash, expires_ms: nowMs + setupMs, used_ms: null })
    .execute();
  program.stderr.write(`Set up the server within 15 minutes: ${origin}/setup#${secret}\n`);
}

/** The address of the client: behind a trusted proxy the last one that the proxy names. */
function addressOf(context: Context, trustProxy: readonly string[] | null): string {
  const direct = getConnInfo(context).remote.address ?? "unknown";
  if (trustProxy === null || !trustProxy.includes(direct.replace(/^::ffff:/, ""))) return direct;
  return context.req.header("x-forwarded-for")?.split(",").at(-1)?.trim() ?? direct;
}

/** An answer of the API. */
interface Answered {
  /** Path of the route, without values. */
  route: string;
  method: string;
  status: number;
  durationMs: number;
}

const buckets = [5, 25, 100, 500, 2_500, 10_000];

interface Histogram {
  counts: number[];
  sumMs: number;
  count: number;
}

/** Counts of requests, as Prometheus reads them. */
class Metrics {
  readonly #requests = new Map<string, number>();
  readonly #durations: Histogram = { counts: buckets.map(() => 0), sumMs: 0, count: 0 };

  count({ route, method, status, durationMs }: Answered): void {
    const key = `method="${method}",route="${route}",status="${status}"`;
    this.#requests.set(key, (this.#requests.get(key) ?? 0) + 1);
    this.#durations.sumMs += durationMs;
    this.#durations.count += 1;
    buckets.forEach((most, index) => {
      if (durationMs <= most) this.#durations.counts[index] = (this.#durations.counts[index] ?? 0) + 1;
    });
  }

  render(): string {
    const { counts, sumMs, count } = this.#durations;
    return [
      "# TYPE kindlm_requests_total counter",
      ...[...this.#requests].map(([labels, total]) => `kindlm_requests_total{${labels}} ${total}`),
      "# TYPE kindlm_request_duration_ms histogram",
      ...buckets.map((most, index) => `kindlm_request_duration_ms_bucket{le="${most}"} ${counts[index] ?? 0}`),
      `kindlm_request_duration_ms_bucket{le="+Inf"} ${count}`,
      `kindlm_request_duration_ms_sum ${sumMs}`,
      `kindlm_request_duration_ms_count ${count}`,
      "",
    ].join("\n");
  }
}
