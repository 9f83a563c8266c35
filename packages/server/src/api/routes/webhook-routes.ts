import { randomBytes } from "node:crypto";
import { isIP } from "node:net";
import * as z from "zod";
import { noteAction } from "../../auth/audit.js";
import { createId } from "../../auth/secrets.js";
import type { ProjectRow } from "../../database/tables.js";
import { pageSize, parseCursor, renderCursor } from "../../history/cursor.js";
import { isPublicAddress } from "../../webhooks/public-address.js";
import { webhookEvents } from "../../webhooks/run-events.js";
import { invalid, notFound } from "../api-error.js";
import { defineRoute, noBody, noQuery, projectOf, type ApiWorld } from "../route.js";
import { errorReply, pageOf } from "./reply-schemas.js";

const mostWebhooks = 20;

const webhookBody = z.object({
  url: z.url({ protocol: /^https?$/ }).max(2_000),
  events: z.array(z.enum(webhookEvents)).min(1),
});
const webhookReply = webhookBody.extend({ id: z.string(), created_ms: z.number() });
const deliveryReply = z.object({
  id: z.number(),
  event: z.enum(webhookEvents),
  message_id: z.string(),
  state: z.enum(["waiting", "delivered", "failed"]),
  tries: z.number(),
  created_ms: z.number(),
  next_ms: z.number().nullable().describe("Of the next try"),
  status: z.number().nullable().describe("What the receiver answered to the last try"),
  problem: z.string().nullable(),
});

const path = "/projects/{project}/webhooks";
const one = `${path}/{webhook}`;
const shared = { scope: "project:admin", query: noQuery } as const;

export const addWebhook = defineRoute({
  ...shared,
  method: "post",
  path,
  summary: "Send events to an address. The answer is the only place that shows the secret",
  limit: "write",
  body: webhookBody,
  replies: { 201: webhookReply.extend({ secret: z.string() }), 422: errorReply },
  async handle({ world, caller, body, ...call }) {
    const project = projectOf(call);
    checkUrl(new URL(body.url), world);
    if ((await webhooksOf(world, project)).length >= mostWebhooks) {
      throw invalid(`A project has at most ${mostWebhooks} webhooks`);
    }
    const events = [...new Set(body.events)];
    const row = { id: createId("whk"), url: body.url, created_ms: world.now() };
    const secret = `whsec_${randomBytes(32).toString("base64")}`;
    await world.database
      .insertInto("webhooks")
      .values({ ...row, org_id: project.org_id, project_id: project.id, secret, events: events.join(" ") })
      .execute();
    await noteAction(world, caller, "webhook.create", row.id);
    return { status: 201, body: { ...row, events, secret } };
  },
});

/** What a name stands for is checked whenever something is sent there: it may be another address by then. */
function checkUrl({ protocol, hostname, username, password }: URL, { allowsPrivateWebhooks }: ApiWorld): void {
  if (username !== "" || password !== "") throw invalid("The address must not contain a password");
  if (allowsPrivateWebhooks) return;
  if (protocol !== "https:") throw invalid("The address must begin with https://");
  const host = hostname.replaceAll(/^\[|\]$/g, "");
  if (isIP(host) !== 0 && !isPublicAddress(host)) throw invalid("The address is not a public one");
}

function webhooksOf({ database }: ApiWorld, project: ProjectRow) {
  return database
    .selectFrom("webhooks")
    .select(["id", "url", "events", "created_ms"])
    .where("org_id", "=", project.org_id)
    .where("project_id", "=", project.id)
    .orderBy("created_ms")
    .orderBy("id")
    .execute();
}

export const listWebhooks = defineRoute({
  ...shared,
  method: "get",
  path,
  summary: "List webhooks, without their secrets",
  limit: "read",
  body: noBody,
  replies: { 200: z.object({ items: z.array(webhookReply) }) },
  async handle({ world, ...call }) {
    const rows = await webhooksOf(world, projectOf(call));
    return { status: 200, body: { items: rows.map(({ events, ...row }) => ({ ...row, events: events.split(" ") })) } };
  },
});

export const removeWebhook = defineRoute({
  ...shared,
  method: "delete",
  path: one,
  summary: "Remove a webhook, with what is queued for it",
  limit: "write",
  body: noBody,
  replies: { 200: z.object({ id: z.string() }), 404: errorReply },
  async handle({ world, caller, params, ...call }) {
    const project = projectOf(call);
    const removed = await world.database
      .deleteFrom("webhooks")
      .where("org_id", "=", project.org_id)
      .where("project_id", "=", project.id)
      .where("id", "=", params["webhook"] ?? "")
      .returning("id")
      .executeTakeFirst();
    if (removed === undefined) throw notFound("Webhook");
    await noteAction(world, caller, "webhook.delete", removed.id);
    return { status: 200, body: removed };
  },
});

async function findWebhook({ database }: ApiWorld, project: ProjectRow, id: string): Promise<string> {
  const found = await database
    .selectFrom("webhooks")
    .select("id")
    .where("org_id", "=", project.org_id)
    .where("project_id", "=", project.id)
    .where("id", "=", id)
    .executeTakeFirst();
  if (found === undefined) throw notFound("Webhook");
  return found.id;
}

const deliveryColumns = ["id", "event", "message_id", "tries", "created_ms", "next_ms", "status", "problem"] as const;

function describeDelivery<T extends { next_ms: number | null; problem: string | null; status: number | null }>(row: T) {
  const isDelivered = row.problem === null && row.status !== null;
  return { ...row, state: isDelivered ? "delivered" : row.next_ms === null ? "failed" : "waiting" };
}

export const listDeliveries = defineRoute({
  ...shared,
  method: "get",
  path: `${one}/deliveries`,
  summary: "List what was sent to a webhook or waits for it, the newest first",
  limit: "read",
  body: noBody,
  query: z.object({ after: z.string().optional() }),
  replies: { 200: pageOf(deliveryReply), 404: errorReply },
  async handle({ world, params, query: { after }, ...call }) {
    const project = projectOf(call);
    const webhook = await findWebhook(world, project, params["webhook"] ?? "");
    const rows = await world.database
      .selectFrom("deliveries")
      .select(deliveryColumns)
      .where("org_id", "=", project.org_id)
      .where("webhook_id", "=", webhook)
      .$if(after !== undefined, (query) => query.where("id", "<", parseCursor(after ?? "")[1]))
      .orderBy("id", "desc")
      .limit(pageSize + 1)
      .execute();
    const items = rows.slice(0, pageSize);
    const last = items.at(-1);
    const next = rows.length > pageSize && last !== undefined ? renderCursor(last.created_ms, last.id) : null;
    return { status: 200, body: { items: items.map(describeDelivery), next } };
  },
});

export const redeliver = defineRoute({
  ...shared,
  method: "post",
  path: `${one}/deliveries/{delivery}/redeliver`,
  summary: "Send a delivery again, with five tries as at first",
  limit: "write",
  body: noBody,
  replies: { 200: deliveryReply, 404: errorReply },
  async handle({ world, caller, params, ...call }) {
    const project = projectOf(call);
    const webhook = await findWebhook(world, project, params["webhook"] ?? "");
    const id = /^\d{1,15}$/.test(params["delivery"] ?? "") ? Number(params["delivery"]) : 0;
    const queued = await world.database
      .updateTable("deliveries")
      .set({ tries: 0, next_ms: world.now(), status: null, problem: null })
      .where("org_id", "=", project.org_id)
      .where("webhook_id", "=", webhook)
      .where("id", "=", id)
      .returning(deliveryColumns)
      .executeTakeFirst();
    if (queued === undefined) throw notFound("Delivery");
    await noteAction(world, caller, "webhook.redeliver", webhook);
    return { status: 200, body: describeDelivery(queued) };
  },
});
