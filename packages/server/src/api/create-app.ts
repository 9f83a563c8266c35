import { Hono, type Context } from "hono";
import { routePath } from "hono/route";
import type { Caller } from "../auth/tokens.js";
import { findCaller } from "../auth/tokens.js";
import { addPages, renderProblem, type PageSettings } from "../pages/serve-pages.js";
import { ApiError, forbidden, notFound, renderError, unauthorized, unavailable } from "./api-error.js";
import type { AppWorld } from "./app-world.js";
import { findProject } from "./find-project.js";
import { ownOrigins } from "./own-origins.js";
import { RateLimits } from "./rate-limits.js";
import { readSent } from "./read-body.js";
import { honoPath, type Reply, type Route } from "./route.js";
import { renderOpenApi } from "./render-open-api.js";
import { routes } from "./routes/registry.js";
import { toApiError } from "./to-api-error.js";

const apiRoot = "/api/v1";

/** The API, whose every answer but that of a route is an error in the form of the specification, and the pages. */
export function createApp(world: AppWorld): Hono {
  const app = new Hono();
  const limits = new RateLimits(() => world.now());
  const codes = new WeakMap<Context, string>();
  let known: ReadonlySet<string> | null = null;
  const origins = (): ReadonlySet<string> => (known ??= ownOrigins(world.origin(), world.listening()));
  app.use(async (context, next) => {
    const startedMs = performance.now();
    await next();
    const { method } = context.req;
    const route = routePath(context);
    const { status } = context.res;
    const error = codes.get(context) ?? null;
    world.onAnswer?.({ route, method, status, error, durationMs: performance.now() - startedMs });
    context.header("x-content-type-options", "nosniff");
    if (!context.res.headers.has("cache-control")) context.header("cache-control", "no-store");
  });
  app.use(async (context, next) => {
    requireOwnName(context, origins());
    // No text column can hold it, so nothing has such a name.
    if (context.req.url.includes("%00")) throw notFound();
    await next();
  });
  app.get(`${apiRoot}/openapi.json`, (context) => context.json(renderOpenApi(routes)));
  for (const route of routes) {
    app.on(route.method.toUpperCase(), `${apiRoot}${honoPath(route.path)}`, async (context) =>
      answer(route, context, world, limits),
    );
  }
  const pages: PageSettings = { world, limits, origins };
  addPages(app, pages);
  const refuse = (context: Context, error: ApiError): Response => {
    codes.set(context, error.code);
    return isOfPages(context) ? renderProblem(context, pages, error) : renderError(error);
  };
  app.notFound((context) => refuse(context, notFound(isOfPages(context) ? "Page" : "Resource")));
  app.onError((error, context) => refuse(context, toApiError(error, world)));
  return app;
}

/** Asked by programs, which reach the server under any name. */
const healthPath = "/healthz";

/**
 * The name under which the server is asked is its own. A page of someone else, whose name leads here, could read
 * everything otherwise.
 */
function requireOwnName(context: Context, own: ReadonlySet<string>): void {
  const { host, pathname } = new URL(context.req.url);
  if (pathname === healthPath || [...own].some((origin) => new URL(origin).host === host)) return;
  const message = `The server is not known as ${host}. If people open it under this name, start it with --origin`;
  throw new ApiError(403, "forbidden", message);
}

const isOfPages = ({ req }: Context): boolean => !req.path.startsWith("/api/") && req.path !== healthPath;

async function answer(route: Route, context: Context, world: AppWorld, limits: RateLimits): Promise<Response> {
  if (!world.isServing()) throw unavailable("The server is stopping");
  const caller = await authenticate(route, context, world, limits);
  const params: Record<string, string> = context.req.param();
  try {
    const project = "project" in params ? await findProject(world, caller, params["project"] ?? "") : null;
    const { body, status }: Reply = await route.answer({
      world,
      caller,
      project,
      params,
      query: context.req.query(),
      sent: await readSent(context.req.raw),
    });
    const content = body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body);
    return new Response(content, { status, headers: { "content-type": route.replyType ?? "application/json" } });
  } catch (error) {
    const { run } = params;
    throw toApiError(error, world, {
      ...(caller === null ? {} : { org_id: caller.orgId }),
      ...(run === undefined ? {} : { run_id: run }),
    });
  }
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
