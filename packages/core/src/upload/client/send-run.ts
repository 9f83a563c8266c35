import { kindlmError } from "../../errors/kindlm-error.js";
import { failure, success, type Result } from "../../result.js";
import type { CaseDocument } from "../case-document.js";
import type { RunDocument } from "../run-document.js";
import { mostParts } from "../upload-limits.js";
import type { SentRun, ServerAnswer, ServerConnection } from "./call-server.js";
import { unusableReply } from "./classify-reply.js";
import { aimedBytes, usualLimits, packCases, packJson, type Part } from "./pack-cases.js";

const compressed = { "content-encoding": "gzip" } as const;
const asJson = { "content-type": "application/json", ...compressed };
const asLines = { "content-type": "application/x-ndjson", ...compressed };

/**
 * Uploads a run: in one request if it fits, else its head, its parts, and the end that makes it visible. May be called
 * again with the same run: the server keeps what it has.
 */
export async function sendRun(
  server: ServerConnection,
  project: string,
  run: RunDocument,
  cases: AsyncIterable<CaseDocument>,
  limits = usualLimits,
): Promise<Result<SentRun>> {
  const sender = new RunSender(server, project, run);
  for await (const packed of packCases(cases, limits)) {
    if (!packed.success) return packed;
    const taken = await sender.take(packed.data);
    if (!taken.success) return taken;
    if (taken.data) break;
  }
  return sender.finish();
}

class RunSender {
  readonly #server: ServerConnection;
  readonly #path: string;
  readonly #run: RunDocument;
  readonly #shortened: string[] = [];
  /** The first part waits: if there is no other, it goes with the head. */
  #first: Part | null = null;
  #sent = 0;
  /** The answer for a run that the server has completed before. */
  #known: ServerAnswer | null = null;

  constructor(server: ServerConnection, project: string, run: RunDocument) {
    this.#server = server;
    this.#path = `/projects/${encodeURIComponent(project)}/runs/${encodeURIComponent(run.run)}`;
    this.#run = run;
  }

  /** True if the server has the whole run already, so that nothing more need be sent. */
  async take(part: Part): Promise<Result<boolean>> {
    this.#shortened.push(...part.shortened);
    if (this.#first === null && this.#sent === 0) {
      this.#first = part;
      return success(false);
    }
    const begun = await this.#begin();
    if (!begun.success || begun.data) return begun;
    const sent = await this.#sendPart(part);
    return sent.success ? success(false) : sent;
  }

  async finish(): Promise<Result<SentRun>> {
    if (this.#sent === 0 && this.#known === null) {
      const bytes = await packJson({ run: this.#run, cases: this.#first?.cases ?? [] });
      if (bytes.length <= aimedBytes) {
        const sent = await this.#put("", bytes, asJson);
        return sent.success ? this.#outcome(sent.data) : sent;
      }
    }
    const begun = await this.#begin();
    if (!begun.success) return begun;
    if (this.#known !== null) return this.#outcome(this.#known);
    const completed = await this.#complete([]);
    return completed.success ? this.#outcome(completed.data) : completed;
  }

  /**
   * Sends the head, and the part that waited. If the server knows the head, the run may be complete, and takes no more
   * parts then.
   */
  async #begin(): Promise<Result<boolean>> {
    const first = this.#first;
    if (first === null) return success(false);
    this.#first = null;
    const head = await this.#put("", await packJson({ run: this.#run }), asJson);
    if (!head.success) return head;
    if (head.data.status === 200) {
      const completed = await this.#complete([404, 409, 422]);
      if (!completed.success) return completed;
      if (completed.data.status < 300) {
        this.#known = completed.data;
        return success(true);
      }
    }
    const sent = await this.#sendPart(first);
    return sent.success ? success(false) : sent;
  }

  #complete(answers: readonly number[]): Promise<Result<ServerAnswer>> {
    return this.#server.call({ method: "POST", path: `${this.#path}/complete`, answers });
  }

  async #sendPart({ bytes }: Part): Promise<Result<void>> {
    this.#sent += 1;
    if (this.#sent > mostParts) {
      const message = `Run ${this.#run.run} is too large for an upload: it needs more than ${mostParts} parts`;
      const hint = "Upload it without transcripts, or in shards";
      return failure(kindlmError("CLOUD_UPLOAD_ERROR", message, { details: { hint } }));
    }
    const sent = await this.#put(`/parts/${this.#sent}`, bytes, asLines);
    return sent.success ? success(undefined) : sent;
  }

  #put(below: string, bytes: Uint8Array, headers: Readonly<Record<string, string>>): Promise<Result<ServerAnswer>> {
    return this.#server.call({ method: "PUT", path: `${this.#path}${below}`, headers, bytes });
  }

  /** Only a results server says that the run is complete: a proxy or a login page may answer anything with 200. */
  #outcome({ status, data }: ServerAnswer): Result<SentRun> {
    if (data["state"] !== "complete") {
      const reply = { status, headers: {}, body: JSON.stringify(data) };
      return failure(unusableReply(this.#server.address, reply, "a body that does not confirm the upload"));
    }
    const url = pageOf(this.#server, this.#run.run, data["url"]);
    return success({ isKnown: status === 200, url, shortened: this.#shortened });
  }
}

/** The page of a run: the one that the server names, if it is its own. */
export function pageOf({ address }: Pick<ServerConnection, "address">, run: string, named: unknown): string {
  const isOwn = typeof named === "string" && named.startsWith(`${address}/`);
  return isOwn ? named : `${address}/r/${encodeURIComponent(run)}`;
}
