import * as z from "zod";
import type { OidcIssuer } from "../auth/oidc-issuer.js";
import type { OidcClient } from "../auth/oidc-login.js";
import type { Caller, Scope } from "../auth/tokens.js";
import type { Database, ProjectRow } from "../database/tables.js";
import { notFound } from "./api-error.js";
import { check } from "./check-value.js";
import { parseJson, readBody, readText, type SentBody } from "./read-body.js";
import type { LimitKind } from "./rate-limits.js";

/** What routes share. */
export interface ApiWorld {
  database: Database;
  now(): number;
  /** The address that people open, without a slash at the end. */
  origin(): string;
  /** Whose ID tokens jobs in GitHub Actions have. */
  githubIssuer: OidcIssuer;
  /** With which people sign in, next to passwords. */
  signInService?: OidcClient;
  /** Whether webhooks may go to private addresses, and without HTTPS. */
  allowsPrivateWebhooks: boolean;
}

/** A request whose token, scope and project were checked. */
export interface RawCall {
  world: ApiWorld;
  /** Null for routes that anyone may call. */
  caller: Caller | null;
  /** Null unless the path has a project. */
  project: ProjectRow | null;
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, string>>;
  sent: SentBody;
}

export interface Call<Body, Query> extends Omit<RawCall, "query" | "caller"> {
  caller: Caller;
  body: Body;
  query: Query;
}

export interface Reply {
  status: number;
  /** Bytes are sent as they are, anything else as JSON. */
  body: unknown;
}

export type Method = "get" | "put" | "post" | "patch" | "delete";

interface RouteSettings<Body, Query> {
  method: Method;
  /** As OpenAPI has it: `/projects/{project}/runs`. */
  path: string;
  summary: string;
  /** Null if anyone may call it. */
  scope: Scope | "any" | null;
  limit: LimitKind;
  /** `noBody` for a route without one. */
  body: z.ZodType<Body>;
  /** A body that the route reads by itself, from what was sent. Absent if it is not JSON. */
  sentBody?: z.ZodType;
  /** What the body is, if it is not JSON. The route reads it by itself. */
  mediaType?: string;
  /** Takes the body as a form too, as OAuth has it. */
  takesForms?: true;
  query: z.ZodType<Query>;
  /** What a successful answer is, if it is not JSON. */
  replyType?: string;
  /** Schemas of the answers by status. */
  replies: Readonly<Record<number, z.ZodType>>;
  handle(call: Call<Body, Query>): Promise<Reply>;
}

export interface Route extends Omit<RouteSettings<never, never>, "handle" | "body" | "query"> {
  body: z.ZodType;
  query: z.ZodType;
  answer(call: RawCall): Promise<Reply>;
}

/** Who is not logged in. */
export const nobody: Caller = { tokenId: "", orgId: "", scopes: new Set(), projects: null };

/** The body of a request that needs none. */
export const noBody = z.undefined();
export const noQuery = z.object({});

/** Declares a route. Its schemas validate requests, and describe it in the OpenAPI document. */
export function defineRoute<Body, Query>({
  handle,
  body: bodySchema,
  query: querySchema,
  ...settings
}: RouteSettings<Body, Query>): Route {
  return {
    ...settings,
    body: bodySchema,
    query: querySchema,
    async answer(call) {
      const isEmpty: z.ZodType = noBody;
      const isReadByRoute = settings.sentBody !== undefined || settings.mediaType !== undefined;
      const body = isReadByRoute ? null : await readBody(call.sent, settings.takesForms);
      return handle({
        ...call,
        caller: call.caller ?? nobody,
        body: check(
          bodySchema,
          body === null || bodySchema === isEmpty ? undefined : parseJson(readText(body)),
          "body",
        ),
        query: check(querySchema, call.query, "query"),
      });
    },
  };
}

/** A path as Hono has it: `/projects/:project`. */
export const honoPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ":$1");

export function projectOf({ project }: Pick<RawCall, "project">): ProjectRow {
  if (project === null) throw notFound("Project");
  return project;
}
