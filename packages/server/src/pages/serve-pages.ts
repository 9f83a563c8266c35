import type { Context, Hono } from "hono";
import { generateCookie, getCookie } from "hono/cookie";
import { ApiError, forbidden, notFound, unavailable } from "../api/api-error.js";
import type { AppWorld } from "../api/app-world.js";
import { findProject } from "../api/find-project.js";
import type { RateLimits } from "../api/rate-limits.js";
import { inflateBody, readSent } from "../api/read-body.js";
import { honoPath } from "../api/route.js";
import { toApiError } from "../api/to-api-error.js";
import { createSecret } from "../auth/secrets.js";
import { csrfTokenOf, findPerson, isCsrfToken, signInSeconds, type Person } from "../auth/sign-in.js";
import { findAsset } from "./assets.js";
import { renderBadge } from "./badge.js";
import { renderDocument } from "./layout.js";
import {
  callerOf,
  type Action,
  type Data,
  type Form,
  type Page,
  type PageCall,
  type Redirect,
  type View,
} from "./page.js";
import { problemPage } from "./problem-page.js";
import { actions, pages } from "./registry.js";

export interface PageSettings {
  world: AppWorld;
  limits: RateLimits;
  /** The addresses of the server: see `ownOrigins`. */
  origins(): ReadonlySet<string>;
}

const policy = [
  "default-src 'none'",
  ...["script-src", "style-src", "img-src", "connect-src", "form-action"].map((name) => `${name} 'self'`),
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** `same-origin` and not `no-referrer`, with which browsers send `Origin: null` with forms. */
const safeHeaders = { "content-security-policy": policy, "referrer-policy": "same-origin" };
const imageHeaders = { "content-security-policy": "default-src 'none'; sandbox" };
const yearSeconds = 31_536_000;
const mostFormBytes = 100_000;

/** Adds the pages for people, their forms, and the assets of both. */
export function addPages(app: Hono, settings: PageSettings): void {
  const { world, limits } = settings;
  app.get("/assets/:file", (context) => {
    const asset = findAsset(context.req.param("file"));
    if (asset === null) throw notFound("Asset");
    const headers = { "content-type": asset.type, "cache-control": `public, max-age=${yearSeconds}, immutable` };
    return new Response(asset.body, { headers });
  });
  app.get("/badge/:file{.+\\.svg}", async (context) => {
    limits.take("read", world.addressOf(context));
    const key = context.req.param("file").slice(0, -".svg".length);
    const body = await renderBadge(world.database, key, context.req.query("branch"));
    const headers = { "content-type": "image/svg+xml", "cache-control": "public, max-age=60", ...imageHeaders };
    return new Response(body, { headers });
  });
  for (const page of pages) {
    app.get(honoPath(page.path), (context) =>
      respond(context, settings, async (visit) => {
        limits.take(visit.person === null ? "anonymous" : "read", visit.person?.userId ?? world.addressOf(context));
        if (page.needs !== null && visit.person === null) return { answered: { to: signInPath(context) } };
        const call = await admit(visit, page, world);
        return { answered: await page.render(call), call };
      }),
    );
  }
  for (const action of actions) {
    app.post(honoPath(action.path), (context) =>
      respond(context, settings, (visit) => answerForm(context, settings, action, visit)),
    );
  }
}

/** The answer for a person to an error outside of pages, such as a path without one. Needs no database. */
export function renderProblem(context: Context, { world }: PageSettings, error: ApiError): Response {
  return show(problemPage(error), callOf(context, world, null, createSecret("klf_").secret));
}

const signInPath = (context: Context): string => {
  const { pathname, search } = new URL(context.req.url);
  return pathname === "/" ? "/login" : `/login?to=${encodeURIComponent(`${pathname}${search}`)}`;
};

/** A request of a browser. */
interface Visit {
  person: Person | null;
  /** That of the cookie: of the person, or of the forms for anyone. */
  secret: string;
  call: PageCall;
}

interface Answered {
  answered: View | Redirect | Data;
  /** With the project, if the path has one. */
  call?: PageCall;
}

interface Cookies {
  /** The prefix makes browsers refuse a cookie that another host of the domain or plain HTTP sets. */
  person: string;
  form: string;
  isSecure: boolean;
}

function cookiesOf(world: AppWorld): Cookies {
  const isSecure = world.origin().startsWith("https:");
  const prefix = isSecure ? "__Host-" : "";
  return { person: `${prefix}kindlm`, form: `${prefix}kindlm_form`, isSecure };
}

async function respond(
  context: Context,
  { world }: PageSettings,
  answer: (visit: Visit) => Promise<Answered>,
): Promise<Response> {
  const cookies = cookiesOf(world);
  const visit = await receive(context, world, cookies);
  const { answered, call = visit.call } = await answer(visit).catch((error: unknown): Answered => ({
    answered: problemPage(toApiError(error, world)),
  }));
  const cookie = (name: string, value: string, maxAge: number): Readonly<Record<string, string>> => {
    const options = { httpOnly: true, secure: cookies.isSecure, sameSite: "Lax", path: "/", maxAge } as const;
    return { "set-cookie": generateCookie(name, value, options) };
  };
  if ("to" in answered) {
    const { to, signIn } = answered;
    const own = visit.person === null ? cookie(cookies.form, visit.secret, signInSeconds) : {};
    const set = signIn === undefined ? own : cookie(cookies.person, signIn ?? "", signIn === null ? 0 : signInSeconds);
    return new Response(null, { status: 303, headers: { location: to, ...safeHeaders, ...set } });
  }
  if ("json" in answered) {
    return new Response(answered.json, { headers: { "content-type": "application/json", ...safeHeaders } });
  }
  return show(answered, call, visit.person === null ? cookie(cookies.form, visit.secret, signInSeconds) : {});
}

function show(view: View, call: PageCall, more: Readonly<Record<string, string>> = {}): Response {
  const tabs = pages.flatMap(({ tab, path, needs }) =>
    tab !== undefined && needs !== null && (needs === "any" || call.caller.scopes.has(needs))
      ? [{ name: tab, path }]
      : [],
  );
  const html = renderDocument(view, call, tabs);
  const headers = { "content-type": "text/html; charset=utf-8", ...safeHeaders, ...view.headers, ...more };
  return new Response(html, { status: view.status ?? 200, headers });
}

async function receive(context: Context, world: AppWorld, cookies: Cookies): Promise<Visit> {
  const own = getCookie(context, cookies.person);
  const person = own === undefined ? null : await findPerson(world.database, own, world.now());
  const secret =
    person === null || own === undefined ? (getCookie(context, cookies.form) ?? createSecret("klf_").secret) : own;
  return { person, secret, call: callOf(context, world, person, secret) };
}

function callOf(context: Context, world: AppWorld, person: Person | null, secret: string): PageCall {
  return {
    world,
    person,
    caller: callerOf(person),
    project: null,
    path: context.req.path,
    params: context.req.param(),
    query: context.req.query(),
    csrf: csrfTokenOf(secret),
    problem: null,
    sent: {},
  };
}

/** The call with its project, if the role of the person allows the page. */
async function admit({ person, call }: Visit, { needs }: Pick<Page, "needs">, world: AppWorld): Promise<PageCall> {
  if (!world.isServing()) throw unavailable("The server is stopping");
  if (needs !== null && needs !== "any" && !call.caller.scopes.has(needs)) throw forbidden(needs);
  const name = call.params["project"];
  return name === undefined ? call : { ...call, project: await findProject(world, person?.caller ?? null, name) };
}

async function answerForm(
  context: Context,
  { world, limits, origins }: PageSettings,
  action: Action,
  visit: Visit,
): Promise<Answered> {
  requireOwnPage(context, origins());
  limits.take(action.limit, visit.person?.userId ?? world.addressOf(context));
  const sent = await readForm(context.req.raw);
  if (!isCsrfToken(typeof sent["csrf"] === "string" ? sent["csrf"] : "", visit.secret)) {
    throw new ApiError(403, "forbidden", "The form has expired. Go back, reload the page, and send it again");
  }
  if (action.needs !== null && visit.person === null) return { answered: { to: "/login" } };
  const call = { ...(await admit(visit, action, world)), sent };
  try {
    return { answered: await action.answer(call), call };
  } catch (error) {
    // What the person can correct is said next to the form.
    if (!(error instanceof ApiError) || ![401, 404, 409, 422].includes(error.status)) throw error;
    const shown = await action.page.render({ ...call, problem: error.message });
    return { answered: "title" in shown ? { ...shown, status: error.status } : shown, call };
  }
}

/** Browsers say which page sent a form: one of another site is refused, whatever it sends. */
function requireOwnPage(context: Context, own: ReadonlySet<string>): void {
  const origin = context.req.header("origin");
  const isOwn = origin === undefined ? context.req.header("sec-fetch-site") === "same-origin" : own.has(origin);
  if (!isOwn) throw new ApiError(403, "forbidden", "The form was not sent by a page of this server");
}

async function readForm(request: Request): Promise<Form> {
  const body = await inflateBody(await readSent(request));
  if (body.length > mostFormBytes) throw new ApiError(413, "payload_too_large", "The form is too large");
  const fields = new URLSearchParams(body.toString("utf8").replaceAll("%00", ""));
  return Object.fromEntries(
    [...new Set(fields.keys())].map((name) => [
      name,
      name.endsWith("[]") ? fields.getAll(name) : (fields.get(name) ?? ""),
    ]),
  );
}
