import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { MessageChannel, receiveMessageOnPort, Worker } from "node:worker_threads";
import { messageOf } from "../errors/message-of.js";
import { isRecord } from "../values/json.js";
import type { FromWorker, ToWorker, WorkerStart } from "./module-message.js";
import { createPulseBoard, type PulseBoard } from "./pulse-board.js";

/** A worker from outside. */
export interface WorkerLink {
  readonly board: PulseBoard;
  /** Throws what cannot be copied. */
  post(message: ToWorker): void;
  /** Whether this process has to wait for the worker. */
  keepsProcess(keeps: boolean): void;
  /** Ends it in the middle of whatever it does, unless it waits inside the system. */
  terminate(): void;
}

export interface WorkerListener {
  onMessage(message: FromWorker): void;
  /** `message` says what ended it, to be read after a name. */
  onExit(message: string): void;
}

/** The bundle has the worker in its own file; the tests of the sources take it from there, too. */
const workerFile = join(dirname(createRequire(import.meta.url).resolve("@kindlm/core")), "module-worker.cjs");

export function openWorker(console: WorkerStart["console"], listener: WorkerListener): WorkerLink {
  const board = createPulseBoard();
  const { port1: port, port2 } = new MessageChannel();
  const start: WorkerStart = { port: port2, board: board.memory, console };
  const worker = new Worker(workerFile, { workerData: start, transferList: [port2], name: "KindLM modules" });
  let crash: string | null = null;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the other end is KindLM's own, and nobody else has it
  const hear = (message: unknown): void => listener.onMessage(message as FromWorker);
  port.on("message", hear);
  worker.on("error", (cause: unknown) => {
    const isFull = isRecord(cause) && cause["code"] === "ERR_WORKER_OUT_OF_MEMORY";
    crash = isFull ? "ran out of memory" : `crashed its worker: ${messageOf(cause)}`;
  });
  worker.on("exit", (code) => {
    // What was said before the end has arrived, but may not have been read.
    for (let left = receiveMessageOnPort(port); left !== undefined; left = receiveMessageOnPort(port)) {
      hear(left.message);
    }
    port.close();
    listener.onExit(crash ?? `called process.exit(${code})`);
  });
  worker.unref();
  return {
    board,
    post: (message) => port.postMessage(message),
    keepsProcess: (keeps) => (keeps ? port.ref() : port.unref()),
    terminate: () => void worker.terminate(),
  };
}
