import { kindlmError } from "../../errors/kindlm-error.js";
import { failure, success, type Result } from "../../result.js";
import type { CaseDocument } from "../case-document.js";
import type { RunDocument } from "../run-document.js";
import { mostParts } from "../upload-limits.js";
import type { ServerAnswer, ServerConnection } from "./call-server.js";
import { aimedBytes, packCases, packJson, type Part } from "./pack-cases.js";

export interface SentRun {
  /** True if the server had the same content already. */
  isKnown: boolean;
  /** Page of the run. */
  url: string;
  /** IDs of cases that were sent without their transcript, since they are too large with it. */
  shortened: readonly string[];
}

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
): Promise<Result<SentRun>> {
  const sender = new RunSender(server, project, run);
  for await (const packed of packCases(cases)) {
    if (!packed.success) return packed;
    const taken = await sender.take(packed.data);
    if (!taken.success) return taken;
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

  constructor(server: ServerConnection, project: string, run: RunDocument) {
    this.#server = server;
    this.#path = `/projects/${encodeURIComponent(project)}/runs/${encodeURIComponent(run.run)}`;
    this.#run = run;
  }

  async take(part: Part): Promise<Result<void>> {
    this.#shortened.push(...part.shortened);
    if (this.#first === null && this.#sent === 0) {
      this.#first = part;
      return success(undefined);
    }
    const begun = await this.#begin();
    return begun.success ? this.#sendPart(part) : begun;
  }

  async finish(): Promise<Result<SentRun>> {
    const whole = { run: this.#run, cases: this.#first?.cases ?? [] };
    if (this.#sent === 0) {
      const bytes = await packJson(whole);
      if (bytes.length <= aimedBytes) {
        const sent = await this.#put("", bytes, asJson);
        return sent.success ? success(this.#outcome(sent.data)) : sent;
      }
    }
    const begun = await this.#begin();
    if (!begun.success) return begun;
    const body = JSON.stringify({ parts: this.#sent });
    const headers = { "content-type": "application/json" };
    const path = `${this.#path}/complete`;
    const completed = await this.#server.call({ method: "POST", path, headers, body });
    return completed.success ? success(this.#outcome(completed.data)) : completed;
  }

  /** Sends the head, and the part that waited. */
  async #begin(): Promise<Result<void>> {
    const first = this.#first;
    if (first === null) return success(undefined);
    this.#first = null;
    const head = await this.#put("", await packJson({ run: this.#run }), asJson);
    if (!head.success) return head;
    return this.#sendPart(first);
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

  #outcome({ status, data }: ServerAnswer): SentRun {
    const url = pageOf(this.#server, this.#run.run, data["url"]);
    return { isKnown: status === 200, url, shortened: this.#shortened };
  }
}

/** The page of a run: the one that the server names, if it is its own. */
export function pageOf({ address }: Pick<ServerConnection, "address">, run: string, named: unknown): string {
  const isOwn = typeof named === "string" && named.startsWith(`${address}/`);
  return isOwn ? named : `${address}/r/${encodeURIComponent(run)}`;
}
