import { lookup as resolveName, type LookupAddress } from "node:dns";
import { request as requestHttp, type IncomingMessage, type RequestOptions } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP, type LookupFunction } from "node:net";

/** Finds the addresses of a name, as `dns.lookup` does. */
export type Resolve = (
  host: string,
  options: { all: true },
  callback: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
) => void;

export interface OutboundRequest {
  url: URL;
  method: "GET" | "POST";
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /** From the first packet to the last. */
  timeoutMs: number;
  /** Of the answer. The rest is not read. */
  mostBytes: number;
  /** Whether the request may go to an address, such as `10.0.0.1`. */
  mayConnect(address: string): boolean;
  resolve?: Resolve;
  signal?: AbortSignal;
}

export interface OutboundReply {
  status: number;
  /** Cut at `mostBytes`. */
  body: Buffer;
}

/** The request may not go to an address that its host has. */
export class AddressRefusedError extends Error {
  constructor() {
    super("The host has an address that requests may not go to");
  }
}

/**
 * Sends a request of the server to somebody else. It uses a new connection and follows no redirect. The name is
 * resolved once, for the connection itself, so that no second answer of a name server can take the place of one that was
 * checked. Rejects with AddressRefusedError, and with the error of Node if there is no answer in time.
 */
export function sendRequest(request: OutboundRequest): Promise<OutboundReply> {
  const { url, method, headers = {}, body, timeoutMs, mayConnect, resolve = resolveName, signal } = request;
  const host = url.hostname.replaceAll(/^\[|\]$/g, "");
  // Node asks nobody for the address of an address.
  if (isIP(host) !== 0 && !mayConnect(host)) return Promise.reject(new AddressRefusedError());
  const timeout = AbortSignal.timeout(timeoutMs);
  const options: RequestOptions = {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) }) },
    agent: false,
    lookup: guardLookup(resolve, mayConnect),
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
  };
  return new Promise((settle, reject) => {
    const send = url.protocol === "https:" ? requestHttps : requestHttp;
    const sent = send(url, options, (answer) => {
      readAnswer(answer, request.mostBytes).then(settle, reject);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

function guardLookup(resolve: Resolve, mayConnect: (address: string) => boolean): LookupFunction {
  return (host, options, callback) => {
    resolve(host, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, "", 0);
      const [first] = found;
      if (first === undefined) return callback(new Error(`${host} has no address`), "", 0);
      // One refused address is enough: whoever mixes them in hopes that it is tried.
      if (!found.every(({ address }) => mayConnect(address))) return callback(new AddressRefusedError(), "", 0);
      return options.all === true ? callback(null, found) : callback(null, first.address, first.family);
    });
  };
}

async function readAnswer(answer: IncomingMessage, mostBytes: number): Promise<OutboundReply> {
  const chunks: Buffer[] = [];
  let size = 0;
  const read: AsyncIterable<Buffer> = answer;
  for await (const chunk of read) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= mostBytes) break;
  }
  return { status: answer.statusCode ?? 0, body: Buffer.concat(chunks).subarray(0, mostBytes) };
}
