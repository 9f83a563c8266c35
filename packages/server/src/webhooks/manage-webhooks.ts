import { randomBytes } from "node:crypto";
import { isIP } from "node:net";
import * as z from "zod";
import { invalid, notFound } from "../api/api-error.js";
import type { ApiWorld } from "../api/route.js";
import { noteAction } from "../auth/audit.js";
import { createId } from "../auth/secrets.js";
import type { Caller } from "../auth/tokens.js";
import type { ProjectRow } from "../database/tables.js";
import { pageSize, parseCursor, renderCursor } from "../history/cursor.js";
import { isPublicAddress } from "./public-address.js";
import { webhookEvents } from "./run-events.js";

const mostWebhooks = 20;

export const newWebhookBody = z.object({
  url: z.url({ protocol: /^https?$/, error: "The address must begin with https://" }).max(2_000),
  events: z.array(z.enum(webhookEvents)).min(1, "Choose at least one event"),
});

/** The webhook with its secret, which nothing shows again. Throws an ApiError if the address is refused. */
export async function createWebhook(
  world: ApiWorld,
  caller: Caller,
  project: ProjectRow,
  { url, events: named }: z.infer<typeof newWebhookBody>,
) {
  checkUrl(new URL(url), world);
  if ((await listWebhooks(world, project)).length >= mostWebhooks) {
    throw invalid(`A project has at most ${mostWebhooks} webhooks`);
  }
  const events = [...new Set(named)];
  const row = { id: createId("whk"), url, created_ms: world.now() };
  const secret = `whsec_${randomBytes(32).toString("base64")}`;
  await world.database
    .insertInto("webhooks")
    .values({ ...row, org_id: project.org_id, project_id: project.id, secret, events: events.join(" ") })
    .execute();
  await noteAction(world, caller, "webhook.create", row.id);
  return { ...row, events, secret };
}

/** What a name stands for is checked whenever something is sent there: it may be another address by then. */
function checkUrl({ protocol, hostname, username, password }: URL, { allowsPrivateWebhooks }: ApiWorld): void {
  if (username !== "" || password !== "") throw invalid("The address must not contain a password");
  if (allowsPrivateWebhooks) return;
  if (protocol !== "https:") throw invalid("The address must begin with https://");
  const host = hostname.replaceAll(/^\[|\]$/g, "");
  // Some names are this machine by definition. To keep one would only show in its deliveries that nothing arrives.
  const isClosed = isIP(host) === 0 ? /(?:^|\.)localhost\.?$/.test(host) : !isPublicAddress(host);
  if (isClosed) throw invalid("The address is not a public one");
}

/** The webhooks of the project without their secrets, the newest last. */
export async function listWebhooks({ database }: ApiWorld, project: ProjectRow) {
  const rows = await database
    .selectFrom("webhooks")
    .select(["id", "url", "events", "created_ms"])
    .where("org_id", "=", project.org_id)
    .where("project_id", "=", project.id)
    .orderBy("created_ms")
    .orderBy("id")
    .execute();
  return rows.map(({ events, ...row }) => ({ ...row, events: events.split(" ") }));
}

/** Removes a webhook with what is queued for it. Throws an ApiError if the project has no such webhook. */
export async function removeWebhook(world: ApiWorld, caller: Caller, project: ProjectRow, id: string): Promise<void> {
  const removed = await world.database
    .deleteFrom("webhooks")
    .where("org_id", "=", project.org_id)
    .where("project_id", "=", project.id)
    .where("id", "=", id)
    .returning("id")
    .executeTakeFirst();
  if (removed === undefined) throw notFound("Webhook");
  await noteAction(world, caller, "webhook.delete", removed.id);
}

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
  const state: "delivered" | "failed" | "waiting" = isDelivered
    ? "delivered"
    : row.next_ms === null
      ? "failed"
      : "waiting";
  return { ...row, state };
}

/** What was sent to a webhook or waits for it, the newest first, and where the next page begins. */
export async function listDeliveries(world: ApiWorld, project: ProjectRow, id: string, after: string | undefined) {
  const webhook = await findWebhook(world, project, id);
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
  return { items: items.map(describeDelivery), next };
}

type NewestDelivery = Awaited<ReturnType<typeof redeliver>> & { webhook_id: string };

/** The newest deliveries of each webhook of the project, at most as many each, all of them the newest first. */
export async function listNewestDeliveries(
  { database }: ApiWorld,
  project: ProjectRow,
  mostEach: number,
): Promise<readonly NewestDelivery[]> {
  const rows = await database
    .selectFrom("webhooks as w")
    .innerJoinLateral(
      (from) =>
        from
          .selectFrom("deliveries as d")
          .select(["d.id", "d.event", "d.message_id", "d.tries", "d.created_ms", "d.next_ms", "d.status", "d.problem"])
          .where("d.org_id", "=", project.org_id)
          .whereRef("d.webhook_id", "=", "w.id")
          .orderBy("d.id", "desc")
          .limit(mostEach)
          .as("newest"),
      (join) => join.onTrue(),
    )
    .select(["w.id as webhook_id", "newest.id", "event", "message_id", "tries", "newest.created_ms"])
    .select(["next_ms", "status", "problem"])
    .where("w.org_id", "=", project.org_id)
    .where("w.project_id", "=", project.id)
    .orderBy("newest.id", "desc")
    .execute();
  return rows.map(describeDelivery);
}

/** Queues a delivery again, with five tries as at first. Throws an ApiError if the webhook has no such delivery. */
export async function redeliver(
  world: ApiWorld,
  caller: Caller,
  project: ProjectRow,
  of: { webhook: string; delivery: string },
) {
  const webhook = await findWebhook(world, project, of.webhook);
  const id = /^\d{1,15}$/.test(of.delivery) ? Number(of.delivery) : 0;
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
  return describeDelivery(queued);
}
