import type { IncomingMessage, ServerResponse } from "node:http";
import { gunzipSync } from "node:zlib";
import { attemptSync } from "../errors/boundary.js";
import { mebibyte } from "../files/open-for-reading.js";
import { failure, success, type Result } from "../result.js";
import { spansOfJson } from "../traces/otlp-json.js";
import { spansOfProtobuf } from "../traces/otlp-protobuf.js";
import { concernsAgent } from "../traces/read-trace.js";
import { TraceIndex } from "../traces/trace-index.js";

/** More than exporters send at once. */
const mostBodyBytes = 64 * mebibyte;
/** All spans are held until they are scored. */
const mostBytes = 512 * mebibyte;

interface Refused {
  status: number;
  why: string;
}

type Format = "json" | "protobuf";

/** The side of OTLP/HTTP that receives. */
export function createReceiver() {
  const index = new TraceIndex();
  const agents = new Set<string>();
  let requests = 0;
  let held = 0;
  let rejected: string | null = null;
  let onSpans: () => void = () => {};

  const take = (body: Buffer, { headers }: IncomingMessage, format: Format): Result<void, Refused> => {
    const plain = unpacked(body, headers["content-encoding"]);
    if (!plain.success) return plain;
    held += plain.data.length;
    if (held > mostBytes) return failure({ status: 413, why: `more than ${mostBytes / mebibyte} MiB of spans` });
    const spans = format === "json" ? spansOfJson(plain.data.toString("utf8")) : spansOfProtobuf(plain.data);
    if (!spans.success) return failure({ status: 400, why: `The body ${spans.error}` });
    index.add({ read: () => spans }, spans.data);
    for (const span of spans.data) if (concernsAgent(span)) agents.add(span.traceId);
    onSpans();
    return success(undefined);
  };

  const handle = (incoming: IncomingMessage, response: ServerResponse): void => {
    const format = formatOf(incoming);
    void bodyOf(incoming).then((body) => {
      requests += 1;
      const refused = refusalOf(incoming, format) ?? (body.success ? null : body.error);
      const taken = refused !== null || !body.success ? failure(refused) : take(body.data, incoming, format ?? "json");
      if (taken.success) return answer(response, 200, format, null);
      const { status, why } = taken.error ?? { status: 400, why: "The body did not arrive whole" };
      rejected = why;
      return answer(response, status, format, why);
    });
  };

  return {
    index,
    handle,
    onSpans: (callback: () => void): void => {
      onSpans = callback;
    },
    counts: () => ({ agentTraces: agents.size, requests, rejected }),
  };
}

function formatOf({ headers }: IncomingMessage): Format | null {
  const [type = ""] = (headers["content-type"] ?? "").split(";");
  if (type.trim() === "application/json") return "json";
  return type.trim() === "application/x-protobuf" ? "protobuf" : null;
}

function refusalOf({ method, url = "", headers }: IncomingMessage, format: Format | null): Refused | null {
  const [path = ""] = url.split("?");
  if (path !== "/v1/traces") return { status: 404, why: `${path} is not known: traces are sent to /v1/traces` };
  if (method !== "POST") return { status: 405, why: `${method} is not supported: traces are sent with POST` };
  if (format !== null) return null;
  const type = headers["content-type"] ?? "none";
  return {
    status: 415,
    why: `The content type ${type} is not supported: use application/json or application/x-protobuf`,
  };
}

function unpacked(body: Buffer, encoding: string | undefined): Result<Buffer, Refused> {
  if (encoding === undefined || encoding === "identity") return success(body);
  if (encoding !== "gzip") return failure({ status: 415, why: `The encoding ${encoding} is not supported: use gzip` });
  return attemptSync(
    () => gunzipSync(body, { maxOutputLength: mostBodyBytes }),
    () => ({ status: 400, why: "The body cannot be unpacked" }),
  );
}

function bodyOf(incoming: IncomingMessage): Promise<Result<Buffer, Refused>> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const cut = (): void => resolve(failure({ status: 400, why: "The body did not arrive whole" }));
    incoming.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= mostBodyBytes) chunks.push(chunk);
      else chunks.length = 0;
    });
    incoming.on("end", () => {
      if (!incoming.complete) return cut();
      if (bytes <= mostBodyBytes) return resolve(success(Buffer.concat(chunks)));
      return resolve(failure({ status: 413, why: `The body is larger than ${mostBodyBytes / mebibyte} MiB` }));
    });
    incoming.on("error", cut);
    incoming.on("close", cut);
  });
}

/** OTLP answers in the format of the request: nothing if all is well, else a status with a message. */
function answer(response: ServerResponse, status: number, format: Format | null, why: string | null): void {
  if (format === "protobuf") {
    const text = Buffer.from((why ?? "").slice(0, 120), "utf8").subarray(0, 127);
    const body = why === null ? Buffer.alloc(0) : Buffer.concat([Buffer.from([0x12, text.length]), text]);
    response.writeHead(status, { "content-type": "application/x-protobuf" }).end(body);
    return;
  }
  const body = why === null ? {} : { message: why };
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
