import type { IncomingMessage, ServerResponse } from "node:http";
import { gunzipSync } from "node:zlib";
import { attemptSync } from "../errors/boundary.js";
import { mebibyte } from "../files/open-for-reading.js";
import { failure, success, type Result } from "../result.js";
import { spansOfJson } from "./otlp-json.js";
import { spansOfProtobuf } from "./otlp-protobuf.js";
import type { Span } from "./span.js";

/** More than exporters send at once. */
const mostBodyBytes = 64 * mebibyte;
/** Why a request is not taken, with the status of the reply. */
export interface Refused {
  status: number;
  why: string;
}

type Format = "json" | "protobuf";

/** Takes the spans of a request. `place`: what stands before `/v1/traces` in the address. Fails with why they are refused. */
export type TakeSpans = (spans: readonly Span[], place: string, bytes: number) => Result<void, Refused>;

export type OtlpHandler = (incoming: IncomingMessage, response: ServerResponse) => void;

/** The side of OTLP/HTTP that receives. `onRequest` is called for every request, with why it was refused. */
export function createOtlpHandler(take: TakeSpans, onRequest: (rejected: string | null) => void): OtlpHandler {
  const read = (body: Buffer, { headers, url = "" }: IncomingMessage, format: Format): Result<void, Refused> => {
    const plain = unpacked(body, headers["content-encoding"]);
    if (!plain.success) return plain;
    const spans = format === "json" ? spansOfJson(plain.data.toString("utf8")) : spansOfProtobuf(plain.data);
    if (!spans.success) return failure({ status: 400, why: `The body ${spans.error}` });
    return take(spans.data, pathOf(url).slice(0, -tracesPath.length), plain.data.length);
  };
  return (incoming, response) => {
    const format = formatOf(incoming);
    void bodyOf(incoming).then((body) => {
      const refused = refusalOf(incoming, format) ?? (body.success ? null : body.error);
      const taken = refused !== null || !body.success ? failure(refused) : read(body.data, incoming, format ?? "json");
      const { status, why } = taken.success
        ? { status: 200, why: null }
        : (taken.error ?? { status: 400, why: "The body did not arrive whole" });
      onRequest(why);
      answer(response, status, format, why);
    });
  };
}

const tracesPath = "/v1/traces";

function pathOf(url: string): string {
  return url.split("?")[0] ?? "";
}

function formatOf({ headers }: IncomingMessage): Format | null {
  const [type = ""] = (headers["content-type"] ?? "").split(";");
  if (type.trim() === "application/json") return "json";
  return type.trim() === "application/x-protobuf" ? "protobuf" : null;
}

function refusalOf({ method, url = "", headers }: IncomingMessage, format: Format | null): Refused | null {
  const path = pathOf(url);
  if (!path.endsWith(tracesPath)) return { status: 404, why: `${path} is not known: traces are sent to /v1/traces` };
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
