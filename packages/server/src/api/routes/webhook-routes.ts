import * as z from "zod";
import * as manage from "../../webhooks/manage-webhooks.js";
import { webhookEvents } from "../../webhooks/run-events.js";
import { defineRoute, noBody, noQuery, projectOf } from "../route.js";
import { errorReply, pageOf } from "./reply-schemas.js";

const webhookReply = manage.newWebhookBody.extend({ id: z.string(), created_ms: z.number() });
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
  body: manage.newWebhookBody,
  replies: { 201: webhookReply.extend({ secret: z.string() }), 422: errorReply },
  async handle({ world, caller, body, ...call }) {
    return { status: 201, body: await manage.createWebhook(world, caller, projectOf(call), body) };
  },
});

export const listWebhooks = defineRoute({
  ...shared,
  method: "get",
  path,
  summary: "List webhooks, without their secrets",
  limit: "read",
  body: noBody,
  replies: { 200: z.object({ items: z.array(webhookReply) }) },
  async handle({ world, ...call }) {
    return { status: 200, body: { items: await manage.listWebhooks(world, projectOf(call)) } };
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
    const id = params["webhook"] ?? "";
    await manage.removeWebhook(world, caller, projectOf(call), id);
    return { status: 200, body: { id } };
  },
});

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
    return { status: 200, body: await manage.listDeliveries(world, projectOf(call), params["webhook"] ?? "", after) };
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
  async handle({ world, caller, params: { webhook = "", delivery = "" }, ...call }) {
    return { status: 200, body: await manage.redeliver(world, caller, projectOf(call), { webhook, delivery }) };
  },
});
