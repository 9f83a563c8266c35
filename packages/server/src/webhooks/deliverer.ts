import { createHmac } from "node:crypto";
import { sql } from "kysely";
import type { LogEntry } from "../api/app-world.js";
import type { Database } from "../database/tables.js";
import { AddressRefusedError, sendRequest, type Resolve } from "../outbound/send-request.js";

/** After a failed try: the fifth is 56 minutes after the first. */
const gapsMs = [60_000, 300_000, 900_000, 2_100_000];
const mostAtOnce = 20;
/** Nobody reads what a receiver says. */
const mostBytes = 16_384;

interface DelivererWorld {
  database: Database;
  now(): number;
  log(entry: LogEntry): void;
  mayConnect(address: string): boolean;
  /** Of one try. */
  timeoutMs?: number;
  resolve?: Resolve;
}

interface Claimed {
  id: number;
  org_id: string;
  webhook_id: string;
  message_id: string;
  body: string;
  tries: number;
  url: string;
  secret: string;
}

/** The headers of a delivery, as Standard Webhooks has them. */
function signDelivery(messageId: string, body: string, secret: string, nowMs: number): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1_000));
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const signature = createHmac("sha256", key).update(`${messageId}.${timestamp}.${body}`).digest("base64");
  return { "webhook-id": messageId, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
}

/**
 * Sends what is queued for webhooks. A delivery is claimed before it is sent, and the claim already has the time of the
 * next try: of several servers one sends it, and if that one dies, the next try comes all the same.
 */
export class Deliverer {
  readonly #world: DelivererWorld;
  readonly #stop = new AbortController();
  /** By webhook: one delivery each at a time, so that a receiver that hangs does not keep others waiting. */
  readonly #sending = new Map<string, Promise<void>>();
  /** One claim at a time: each must know what the one before has claimed. */
  #turn: Promise<void> = Promise.resolve();

  constructor(world: DelivererWorld) {
    this.#world = world;
  }

  /** Starts to send what is due. Never rejects. */
  deliverDue(): Promise<void> {
    this.#turn = this.#turn.then(() => this.#startDue());
    return this.#turn;
  }

  async #startDue(): Promise<void> {
    if (this.#stop.signal.aborted) return;
    try {
      for (const claimed of await this.#claim()) {
        this.#sending.set(claimed.webhook_id, this.#sendAndGoOn(claimed));
      }
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#world.log({ level: "error", code: "webhooks_unavailable", message });
    }
  }

  /** Resolves once nothing is being sent. */
  async settle(): Promise<void> {
    do {
      await this.#turn;
      await Promise.all(this.#sending.values());
    } while (this.#sending.size > 0);
  }

  /** Gives up what is being sent, as a failed try. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.settle();
  }

  /** The oldest due delivery of each webhook that has none on its way. */
  async #claim(): Promise<readonly Claimed[]> {
    const { database, now } = this.#world;
    const most = mostAtOnce - this.#sending.size;
    if (most <= 0) return [];
    const busy = sql`${[...this.#sending.keys()]}::text[]`;
    const { rows } = await sql<Claimed>`
      update deliveries d set tries = d.tries + 1, next_ms = ${now()}::bigint + (${gapsMs}::bigint[])[d.tries + 1]
      from webhooks w
      where w.id = d.webhook_id and d.id in (
        select o.id from deliveries o
        where o.next_ms <= ${now()} and o.webhook_id <> all (${busy}) and not exists (
          select 1 from deliveries e
          where e.webhook_id = o.webhook_id and e.next_ms <= ${now()} and (e.next_ms, e.id) < (o.next_ms, o.id))
        order by o.next_ms, o.id limit ${most} for update skip locked)
      returning d.id, d.org_id, d.webhook_id, d.message_id, d.body, d.tries, w.url, w.secret`.execute(database);
    return rows;
  }

  async #sendAndGoOn(claimed: Claimed): Promise<void> {
    await this.#send(claimed);
    this.#sending.delete(claimed.webhook_id);
    await this.deliverDue();
  }

  async #send({ id, org_id, webhook_id, message_id, body, tries, url, secret }: Claimed): Promise<void> {
    const { database, now, log, mayConnect, timeoutMs = 10_000, resolve } = this.#world;
    const headers = { "content-type": "application/json", "user-agent": "kindlm-server" };
    let status: number | null = null;
    let problem: string | null = null;
    try {
      const reply = await sendRequest({
        url: new URL(url),
        method: "POST",
        headers: { ...headers, ...signDelivery(message_id, body, secret, now()) },
        body,
        timeoutMs,
        mostBytes,
        mayConnect,
        signal: this.#stop.signal,
        ...(resolve === undefined ? {} : { resolve }),
      });
      ({ status } = reply);
      if (status < 200 || status > 299) problem = `The receiver answered ${status}`;
    } catch (error) {
      problem = error instanceof AddressRefusedError ? "The receiver is not at a public address" : "No answer";
    }
    try {
      await database
        .updateTable("deliveries")
        .set({ status, problem, ...(problem === null ? { next_ms: null } : {}) })
        .where("org_id", "=", org_id)
        .where("id", "=", id)
        // Somebody may have asked for it again meanwhile.
        .where("tries", "=", tries)
        .execute();
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
    }
    if (problem !== null) {
      log({ level: "warn", code: "webhook_failed", message: `${webhook_id}, try ${tries}: ${problem}`, org_id });
    }
  }
}
