import * as z from "zod";
import { noBody, type Route } from "./route.js";
import { errorReply } from "./routes/reply-schemas.js";

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
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      schemas: { Error: schemaOf(errorReply, "output") },
    },
  };
}

const errorRef = { $ref: "#/components/schemas/Error" };

function renderRoute({
  path,
  summary,
  scope,
  body,
  sentBody = body,
  mediaType,
  query,
  replies,
  replyType,
}: Route): object {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const isEmpty: z.ZodType = noBody;
  const hasBody = sentBody !== isEmpty || mediaType !== undefined;
  const content = hasBody && mediaType === undefined ? { schema: schemaOf(sentBody, "input") } : {};
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
        { description: status, content: contentOf(schema, status.startsWith("2") ? replyType : undefined) },
      ]),
    ),
  };
}

function contentOf(schema: z.ZodType, type: string | undefined): object {
  if (type !== undefined) return { [type]: {} };
  return { "application/json": { schema: schema === errorReply ? errorRef : schemaOf(schema, "output") } };
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
