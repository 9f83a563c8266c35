import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { ApiError } from "../api/api-error.js";
import type { SentBody } from "../api/read-body.js";
import { workerFile } from "../database/worker-file.js";
import type { Uploads } from "./read-upload.js";

type Refused = Pick<ApiError, "status" | "code" | "message"> & { details: Record<string, unknown> };
type Answer<Read> = { read: Read } | { refused: Refused } | { failed: string };

/**
 * Room for what an upload of some MB is turned into on its way: with less, a quarter of the time goes into copying objects
 * that are garbage a moment later. The whole heap stays without a limit: Node ends the process if JSON.parse reaches it.
 */
const resourceLimits = { maxYoungGenerationSizeMb: 192 };

/** Each takes 25 MB, also while nobody uploads. */
const mostPrepared = 2;

/**
 * Reads uploads in separate threads, as many at once as there are processors, so that the server answers others
 * meanwhile. A thread starts when it is first needed, and stays.
 */
export class UploadReaders {
  readonly #most = Math.min(4, availableParallelism());
  readonly #file: URL | string;
  readonly #idle: Worker[] = [];
  readonly #waiting: ((worker: Worker) => void)[] = [];
  #count = 0;

  /** @param file - the program of the threads */
  constructor(file: URL | string = workerFile(import.meta.url, "upload-worker.js")) {
    this.#file = file;
  }

  /** Starts threads before there is anything to read: to load what they need takes longer than to read a run. */
  prepare(): void {
    while (this.#count < Math.min(mostPrepared, this.#most)) this.#idle.push(this.#start());
  }

  /** Rejects with an ApiError if the body is not an upload. */
  async read<Kind extends keyof Uploads>(kind: Kind, sent: SentBody): Promise<Uploads[Kind]> {
    const worker = await this.#take();
    const answer = await ask<Uploads[Kind]>(worker, { kind, sent });
    this.#give(worker);
    if ("read" in answer) return answer.read;
    if ("failed" in answer) throw new Error(answer.failed);
    const { status, code, message, details } = answer.refused;
    throw new ApiError(status, code, message, { details });
  }

  async #take(): Promise<Worker> {
    const idle = this.#idle.pop();
    if (idle !== undefined) return idle;
    if (this.#count < this.#most) return this.#start();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #start(): Worker {
    this.#count += 1;
    const worker = new Worker(this.#file, { resourceLimits });
    worker.unref();
    // Who has asked it something listens too. An error without any listener would end the server.
    worker.on("error", () => {});
    worker.once("exit", () => this.#drop(worker));
    return worker;
  }

  #give(worker: Worker): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#idle.push(worker);
    else next(worker);
  }

  /** One that has ended answers nobody. */
  #drop(worker: Worker): void {
    this.#count -= 1;
    const place = this.#idle.indexOf(worker);
    if (place !== -1) this.#idle.splice(place, 1);
    this.#waiting.shift()?.(this.#start());
  }
}

/** The thread has ended, and with it what it was asked. */
class WorkerEndError extends Error {
  constructor(cause: unknown) {
    super("The thread that reads uploads has ended", { cause });
  }
}

function ask<Read>(worker: Worker, request: object): Promise<Answer<Read>> {
  return new Promise((resolve, reject) => {
    const end = (cause: unknown): void => reject(new WorkerEndError(cause));
    worker.once("error", end);
    worker.once("exit", end);
    worker.once("message", (answer: Answer<Read>) => {
      worker.off("error", end);
      worker.off("exit", end);
      resolve(answer);
    });
    const port = worker;
    port.postMessage(request);
  });
}

/** Of the process, since they share its processors. */
export const uploadReaders = new UploadReaders();
