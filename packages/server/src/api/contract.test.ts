import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { classifyServerReply } from "../../../core/src/upload/client/classify-reply.js";
import { inflatingTo } from "../__fixtures__/inflating-to.js";
import { sampleUpload } from "../__fixtures__/sample-upload.js";
import { startTestServer, type SendOptions, type TestServer } from "../__fixtures__/test-server.js";
import { scopes } from "../auth/tokens.js";

const upload = sampleUpload({ run: "run-1" });
const at = "/projects/shop/runs/run-1";

interface Row {
  status: number;
  error: string;
  message: string;
  details: object;
  retryAfter?: string;
  /** Provokes it. */
  send(server: TestServer): ReturnType<TestServer["send"]>;
}

const put = (server: TestServer, body: object, more: SendOptions = {}) =>
  server.send(at, { method: "PUT", body, ...more });

/** Makes the database refuse runs of the organization with a code, as PostgreSQL does it. */
async function refuseRuns({ opened, orgId }: TestServer, code: string): Promise<void> {
  const name = `refuse_${orgId.replaceAll(/\W/g, "_")}`.toLowerCase();
  await sql
    .raw(
      `create function ${name}() returns trigger language plpgsql as $$
        begin raise exception 'secret of %', new.org_id using errcode = '${code}'; end $$`,
    )
    .execute(opened.database);
  await sql
    .raw(
      `create trigger ${name} before insert on runs for each row when (new.org_id = '${orgId}') execute function ${name}()`,
    )
    .execute(opened.database);
}

/** Section 3 of the specification of the server, row by row. */
const table: Readonly<Record<string, Row>> = {
  "no token": {
    status: 401,
    error: "CLOUD_AUTH_ERROR",
    message: "Not logged in, or the token expired",
    details: {},
    send: (server) => put(server, upload, { token: null }),
  },
  "a token that has expired": {
    status: 401,
    error: "CLOUD_AUTH_ERROR",
    message: "Not logged in, or the token expired",
    details: {},
    send(server) {
      server.clock.now += 91 * 86_400_000;
      return put(server, upload);
    },
  },
  "a plan without the feature": {
    status: 403,
    error: "plan_required",
    message: "This feature requires a Team or Enterprise plan. Current plan: free",
    details: {
      required_plan: "team",
      current_plan: "free",
      feature: "pdf_export",
      upgrade_url: "https://cloud.kindlm.com/settings/billing",
    },
    async send(server) {
      await server.opened.database.updateTable("orgs").set({ plan: "free" }).where("id", "=", server.orgId).execute();
      await put(server, upload);
      return server.send(`${at}/pdf`);
    },
  },
  "a token without the scope": {
    status: 403,
    error: "forbidden",
    message: "The token lacks the scope runs:write",
    details: { required_scope: "runs:write" },
    async send(server) {
      return put(server, upload, { token: await server.tokenFor(scopes.filter((scope) => scope !== "runs:write")) });
    },
  },
  "a run that does not exist": {
    status: 404,
    error: "not_found",
    message: "Run not found",
    details: {},
    send: (server) => server.send("/projects/shop/runs/other"),
  },
  "a project of another organization": {
    status: 404,
    error: "not_found",
    message: "Project not found",
    details: {},
    async send(server) {
      const other = await startTestServer();
      await other.send("/projects", { method: "POST", body: { name: `of-${other.projectId}` } });
      return server.send(`/projects/of-${other.projectId}/runs`);
    },
  },
  "a project of the same name": {
    status: 409,
    error: "conflict",
    message: 'Project "shop" exists',
    details: {},
    send: (server) => server.send("/projects", { method: "POST", body: { name: "shop" } }),
  },
  "a run with other content": {
    status: 409,
    error: "conflict",
    message: "Run run-1 exists with other content",
    details: {},
    async send(server) {
      await put(server, upload);
      return put(server, { ...upload, run: { ...upload.run, branch: "other" } });
    },
  },
  "an upload of more than 5 MB": {
    status: 413,
    error: "payload_too_large",
    message: "The upload exceeds 5 MB",
    details: { limit_bytes: 5_242_880 },
    send: (server) => server.send(at, { method: "PUT", raw: " ".repeat(5_242_881) }),
  },
  "an upload that inflates to more than 64 MB": {
    status: 413,
    error: "payload_too_large",
    message: "The upload exceeds 5 MB",
    details: { limit_bytes: 67_108_864, inflated: true },
    send: (server) =>
      server.send(at, {
        method: "PUT",
        raw: inflatingTo(67_108_865),
        headers: { "content-encoding": "gzip" },
      }),
  },
  "a body that is not valid": {
    status: 422,
    error: "validation_error",
    message: "The body of the request is not valid",
    details: {
      issues: [
        { path: "body.run.verdict", code: "invalid_value", message: expect.stringContaining("passed") as string },
      ],
    },
    send: (server) => put(server, { ...upload, run: { ...upload.run, verdict: "maybe" } }),
  },
  "a body that is not JSON": {
    status: 422,
    error: "validation_error",
    message: "The body is not valid JSON",
    details: { issues: [] },
    send: (server) => server.send(at, { method: "PUT", raw: "{" }),
  },
  "more requests than a minute has": {
    status: 429,
    error: "CLOUD_RATE_LIMIT",
    message: "Rate limit exceeded. Retry after 60 seconds",
    details: { retry_after: 60 },
    retryAfter: "60",
    async send(server) {
      for (let count = 0; count < 10; count += 1) await server.send("/auth/device", { method: "POST", token: null });
      return server.send("/auth/device", { method: "POST", token: null });
    },
  },
  "a mistake in the server": {
    status: 500,
    error: "UNKNOWN_ERROR",
    message: "Unexpected server error",
    details: {},
    async send(server) {
      await refuseRuns(server, "XX000");
      return put(server, upload);
    },
  },
  "a full disk": {
    status: 503,
    error: "unavailable",
    message: "The disk of the database is full",
    details: {},
    async send(server) {
      await refuseRuns(server, "53100");
      return put(server, upload);
    },
  },
  "a server that stops": {
    status: 503,
    error: "unavailable",
    message: "The server is stopping",
    details: {},
    send(server) {
      server.isServing = false;
      return put(server, upload);
    },
  },
};

/** What the command line makes of each. */
const clientCodes: Readonly<Record<string, string>> = {
  CLOUD_AUTH_ERROR: "CLOUD_AUTH_ERROR",
  plan_required: "CLOUD_PLAN_LIMIT",
  not_found: "CLOUD_UPLOAD_ERROR",
  conflict: "CLOUD_UPLOAD_ERROR",
  validation_error: "CLOUD_UPLOAD_ERROR",
  CLOUD_RATE_LIMIT: "CLOUD_RATE_LIMIT",
  payload_too_large: "CLOUD_UPLOAD_ERROR",
  UNKNOWN_ERROR: "CLOUD_UPLOAD_ERROR",
  forbidden: "CLOUD_AUTH_ERROR",
  unavailable: "CLOUD_UPLOAD_ERROR",
};

describe("the errors of the specification", () => {
  it.each(Object.entries(table))("%s", async (_name, { send, status, retryAfter, ...body }) => {
    const server = await startTestServer();
    const answer = await send(server);
    const { status: sent, headers, text } = answer;
    const reply = { status: sent, headers: Object.fromEntries(headers), body: text };
    expect(classifyServerReply("https://results.example.com", reply, 0).code).toBe(clientCodes[body.error]);
    expect(answer.json).toEqual(body);
    expect(answer.status).toBe(status);
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(answer.headers.get("retry-after")).toBe(retryAfter ?? null);
    expect(answer.text).not.toContain("secret of");
    // What is not the fault of the client is in the log, for the operator.
    const logged = server.logs.map(({ code }) => code);
    expect(logged).toEqual(status === 500 || answer.text.includes("disk") ? [body.error] : []);
  });

  it("are all of section 3", () => {
    expect(new Set(Object.values(table).map(({ error }) => error))).toEqual(new Set(Object.keys(clientCodes)));
  });
});
