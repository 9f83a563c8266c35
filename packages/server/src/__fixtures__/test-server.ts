import { randomBytes } from "node:crypto";
import type { Hono } from "hono";
import { sql } from "kysely";
import pg from "pg";
import { inject } from "vitest";
import type { AppWorld, LogEntry } from "../api/app-world.js";
import { createApp } from "../api/create-app.js";
import { OidcIssuer } from "../auth/oidc-issuer.js";
import { createId } from "../auth/secrets.js";
import { createToken, scopes, type Scope } from "../auth/tokens.js";
import { openInMemory, openPostgres, type OpenDatabase } from "../database/open-database.js";
import type { Database } from "../database/tables.js";

let opening: Promise<OpenDatabase> | null = null;

/**
 * One database for all files of a worker; each test has its own organization in it. It is the embedded one, and in
 * `pnpm test:postgres` a database of the worker on PostgreSQL.
 */
export function sharedDatabase(): Promise<OpenDatabase> {
  const socket = inject("postgres");
  opening ??= socket === undefined ? openInMemory() : createPostgres(socket);
  return opening;
}

/** For what looks at all organizations of the database, each of which costs time: forgets those of tests that are over. */
export async function forgetOtherServers(): Promise<void> {
  await sql`truncate orgs cascade`.execute((await sharedDatabase()).database);
}

async function createPostgres(socket: string): Promise<OpenDatabase> {
  const name = `worker_${process.env["VITEST_POOL_ID"] ?? "1"}_${randomBytes(4).toString("hex")}`;
  const addressOf = (database: string): string => `postgres://kindlm@/${database}?host=${encodeURIComponent(socket)}`;
  const client = new pg.Client({ connectionString: addressOf("postgres") });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  return openPostgres(addressOf(name));
}

export interface Answered {
  status: number;
  headers: Headers;
  text: string;
  json: Record<string, unknown>;
}

export interface SendOptions {
  method?: string;
  body?: unknown;
  /** Sent as it is. */
  raw?: Uint8Array | string;
  headers?: Record<string, string>;
  token?: string | null;
}

export interface TestServer {
  app: Hono;
  opened: OpenDatabase;
  orgId: string;
  projectId: string;
  token: string;
  logs: LogEntry[];
  /** Tests set it. */
  onAnswer: NonNullable<AppWorld["onAnswer"]>;
  /** Tests set it. */
  isServing: boolean;
  /** Milliseconds since the epoch; tests set it. */
  clock: { now: number };
  send(path: string, options?: SendOptions): Promise<Answered>;
  tokenFor(own: readonly Scope[], projects?: readonly string[] | null): Promise<string>;
}

export interface TestSettings {
  /** What its project accepts. */
  accepts: string;
  /** Issuer of the ID tokens of GitHub Actions. */
  issuer: string;
  allowsPrivateWebhooks: boolean;
  /** Issuer with which people sign in. */
  signInIssuer: string;
  origin(): string;
  /** A connection of the shared database that the test has alone. */
  database: Database;
}

/** A server with an organization, its project `shop` and a token that may do everything. */
export async function startTestServer(settings: Partial<TestSettings> = {}): Promise<TestServer> {
  const { origin = () => "http://127.0.0.1:4310" } = settings;
  const opened = await sharedDatabase();
  const { database = opened.database } = settings;
  const clock = { now: Date.parse("2026-02-15T12:00:00Z") };
  const logs: LogEntry[] = [];
  const address = randomBytes(8).toString("hex");
  const app = createApp({
    database,
    now: () => clock.now,
    origin,
    listening: origin,
    log: (entry) => logs.push(entry),
    addressOf: () => address,
    githubIssuer: new OidcIssuer(settings.issuer ?? "http://127.0.0.1:9", () => clock.now),
    ...(settings.signInIssuer === undefined
      ? {}
      : {
          signInService: {
            issuer: new OidcIssuer(settings.signInIssuer, () => clock.now),
            clientId: "results",
            clientSecret: "s3:cret",
          },
        }),
    allowsPrivateWebhooks: settings.allowsPrivateWebhooks ?? false,
    isServing: () => server.isServing,
    onAnswer: (answered) => server.onAnswer(answered),
  });
  const [orgId, projectId] = [createId("org"), createId("prj")];
  await database.insertInto("orgs").values({ id: orgId, name: "Acme", plan: null, created_ms: clock.now }).execute();
  const days = { transcript_days: 14, case_days: 30, run_days: 400 };
  const project = { id: projectId, org_id: orgId, name: "shop", accepts: settings.accepts ?? "", badge_key: null };
  await database
    .insertInto("projects")
    .values({ ...project, ...days, created_ms: clock.now })
    .execute();
  const tokenFor = async (own: readonly Scope[], projects: readonly string[] | null = null): Promise<string> =>
    (await createToken(database, { orgId, userId: null, name: "t", scopes: own, projects, nowMs: clock.now })).token;
  const token = await tokenFor(scopes);
  const server: TestServer = {
    app,
    opened,
    orgId,
    projectId,
    token,
    logs,
    onAnswer: () => {},
    isServing: true,
    clock,
    tokenFor,
    async send(path, { method = "GET", body, raw, headers = {}, token: given = token } = {}) {
      const content = raw ?? (body === undefined ? undefined : JSON.stringify(body));
      const response = await app.request(`${origin()}/api/v1${path}`, {
        method,
        headers: { ...(given === null ? {} : { authorization: `Bearer ${given}` }), ...headers },
        ...(content === undefined ? {} : { body: typeof content === "string" ? content : new Uint8Array(content) }),
      });
      const text = await response.text();
      const json: Record<string, unknown> = JSON.parse(text);
      return { status: response.status, headers: response.headers, text, json };
    },
  };
  return server;
}
