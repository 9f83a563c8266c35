import { Hono, type Context } from "hono";
import * as z from "zod";
import { routePath } from "hono/route";
import type { Caller } from "../auth/tokens.js";
import { findCaller } from "../auth/tokens.js";
import { codeOf } from "../database/retry-conflicts.js";
import type { ProjectRow } from "../database/tables.js";
import { ApiError, forbidden, notFound, unauthorized, unavailable, unexpected } from "./api-error.js";
import { RateLimits } from "./rate-limits.js";
import { readBody } from "./read-body.js";
import { noBody, type ApiWorld, type Reply, type Route } from "./route.js";
import { routes } from "./routes/registry.js";
import { errorReply } from "./routes/reply-schemas.js";

const apiRoot = "/api/v1";

/** A line of the log, in the form of section 8 of the error-handling specification. */
export interface LogEntry {
  level: "error" | "warn" | "info";
  code: string;
  message: string;
  org_id?: string;
  run_id?: string;
}

export interface AppWorld extends ApiWorld {
  log(entry: LogEntry): void;
  /** The address of the client. */
  addressOf(context: Context): string;
  /** Called after each answer of a route. */
  onAnswer?(answered: { route: string; method: string; status: number; durationMs: number }): void;
  /** False while the server stops. */
  isServing(): boolean;
}

/** The disk is full, or the database does not answer. */
const unavailableCodes = new Set(["53100", "57P01", "57P03", "ECONNREFUSED", "ENOSPC"]);

/** The API. Every answer but that of a route is an error in the form of the specification. */
export function createApp(world: AppWorld): Hono {
  const app = new Hono();
  const limits = new RateLimits(() => world.now());
  app.use(async (context, next) => {
    const startedMs = performance.now();
    await next();
    const { method } = context.req;
    const route = routePath(context);
    const { status } = context.res;
    world.onAnswer?.({ route, method, status, durationMs: performance.now() - startedMs });
    context.header("x-content-type-options", "nosniff");
    context.header("cache-control", "no-store");
  });
  app.get(`${apiRoot}/openapi.json`, (context) => context.json(renderOpenApi(routes)));
  for (const route of routes) {
    app.on(route.method.toUpperCase(), `${apiRoot}${honoPath(route.path)}`, async (context) =>
      answer(route, context, world, limits),
    );
  }
  app.notFound((context) => sendError(context, notFound()));
  app.onError((error, context) => sendError(context, toApiError(error, world)));
  return app;
}

const honoPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ":$1");

async function answer(route: Route, context: Context, world: AppWorld, limits: RateLimits): Promise<Response> {
  if (!world.isServing()) throw unavailable("The server is stopping");
  const caller = await authenticate(route, context, world, limits);
  const params = context.req.param();
  const project = "project" in params ? await findProject(world, caller, params.project ?? "") : null;
  const { body, status }: Reply = await route.answer({
    world,
    caller,
    project,
    params,
    query: context.req.query(),
    body: await readBody(context.req.raw),
  });
  return new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } });
}

async function authenticate(
  route: Route,
  context: Context,
  world: AppWorld,
  limits: RateLimits,
): Promise<Caller | null> {
  const address = world.addressOf(context);
  if (route.scope === null) {
    limits.take(route.limit, address);
    return null;
  }
  const token = /^Bearer (klm_[\w-]{43})$/.exec(context.req.header("authorization") ?? "")?.[1];
  const caller = token === undefined ? null : await findCaller(world.database, token, world.now());
  if (caller === null) {
    limits.take("anonymous", address);
    throw unauthorized();
  }
  limits.take(route.limit, caller.tokenId);
  if (route.scope !== "any" && !caller.scopes.has(route.scope)) throw forbidden(route.scope);
  return caller;
}

/** A project of another organization, or one that the token does not cover, is not there. */
async function findProject({ database }: ApiWorld, caller: Caller | null, name: string): Promise<ProjectRow> {
  if (caller === null) throw notFound("Project");
  const found = await database
    .selectFrom("projects")
    .selectAll()
    .where("org_id", "=", caller.orgId)
    .where("name", "=", name)
    .executeTakeFirst();
  if (found === undefined || caller.projects?.has(found.id) === false) throw notFound("Project");
  return found;
}

/** What nobody expected is logged, and not shown. */
function toApiError(error: unknown, world: AppWorld): ApiError {
  if (error instanceof ApiError) return error;
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : String(error);
  if (code !== null && unavailableCodes.has(code)) {
    world.log({ level: "error", code: "unavailable", message });
    return unavailable("The database is not available");
  }
  world.log({ level: "error", code: "UNKNOWN_ERROR", message });
  return unexpected();
}

function sendError(_context: Context, { status, code, message, details, headers }: ApiError): Response {
  const body = JSON.stringify({ error: code, message, details });
  return new Response(body, { status, headers: { "content-type": "application/json", ...headers } });
}

/** The OpenAPI 3.1 document of the routes, made of the schemas that validate requests. */
export function renderOpenApi(all: readonly Route[]): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of all) {
    const path = (paths[route.path] ??= {});
    path[route.method] = renderRoute(route);
  }
  return {
    openapi: "3.1.0",
    info: { title: "KindLM results server", version: "1" },
    servers: [{ url: "/api/v1" }],
    paths,
    components: { securitySchemes: { token: { type: "http", scheme: "bearer" } } },
  };
}

function renderRoute({ path, summary, scope, body, mediaType, query, replies }: Route): object {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const isEmpty: z.ZodType = noBody;
  const hasBody = body !== isEmpty || mediaType !== undefined;
  const content = hasBody && mediaType === undefined ? { schema: schemaOf(body, "input") } : {};
  const all = scope === null ? replies : { 401: errorReply, 403: errorReply, ...replies };
  return {
    summary,
    ...(scope === null ? {} : { security: [{ token: scope === "any" ? [] : [scope] }] }),
    parameters: [
      ...names.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } })),
      ...queryParameters(query),
    ],
    ...(hasBody ? { requestBody: { required: true, content: { [mediaType ?? "application/json"]: content } } } : {}),
    responses: Object.fromEntries(
      Object.entries({ ...all, 429: errorReply, 500: errorReply }).map(([status, schema]) => [
        status,
        { description: status, content: { "application/json": { schema: schemaOf(schema, "output") } } },
      ]),
    ),
  };
}

function queryParameters(query: z.ZodType): readonly object[] {
  const { properties = {}, required = [] } = schemaOf(query, "input");
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "query",
    required: required.includes(name),
    schema,
  }));
}

function schemaOf(schema: z.ZodType, io: "input" | "output") {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, reused: "inline" });
  return rest;
}
