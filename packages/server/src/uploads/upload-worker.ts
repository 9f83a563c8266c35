import { parentPort } from "node:worker_threads";
import { ApiError } from "../api/api-error.js";
import type { SentBody } from "../api/read-body.js";
import { messageOf } from "../database/retry-conflicts.js";
import { readUpload, type Uploads } from "./read-upload.js";

/** The program of a worker that reads uploads, one after the other. */

interface Request {
  kind: keyof Uploads;
  sent: SentBody;
}

const port = parentPort;

port?.on("message", ({ kind, sent }: Request) => port.postMessage(answer(() => readUpload[kind](sent))));

function answer(read: () => unknown): object {
  try {
    return { read: read() };
  } catch (error) {
    return describeFailure(error);
  }
}

/** Errors arrive without what makes them more than an error. */
function describeFailure(error: unknown): object {
  if (!(error instanceof ApiError)) return { failed: messageOf(error) };
  const { status, code, message, details } = error;
  return { refused: { status, code, message, details } };
}

// Schemas are built at their first use, which the first upload would wait for.
const empty = Buffer.from('{"run":{},"cases":[{}]}');
answer(() => readUpload.run({ bytes: empty, encoding: "identity", isForm: false }));
