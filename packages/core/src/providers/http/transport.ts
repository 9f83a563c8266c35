import type { KindlmError } from "../../errors/kindlm-error.js";
import type { UserModules } from "../../modules/user-modules.js";

export interface HttpRequest {
  url: string;
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  headers: Readonly<Record<string, string>>;
  body?: string;
  /** Sent in place of `body` if it is not text. */
  bytes?: Uint8Array;
  timeouts: RequestTimeouts;
  /** Takes the body of a 2xx reply piece by piece; the body in the reply is empty then. */
  sink?: BodySink;
  /** Answers in place of a server, for a provider that is a module of the user's; absent if there is a server. */
  answer?(modules: UserModules, options: { signal: AbortSignal; timeoutMs: number }): Promise<HttpOutcome>;
}

/** What an exchange ended with. */
export type HttpOutcome = { success: true; data: HttpReply } | { success: false; error: HttpFailure };

/**
 * Takes a body piece by piece. `elapsedMs` runs from sending the request, like the latency of the reply. True says that
 * all is there: the exchange ends, whatever the server still sends.
 */
export type BodySink = (chunk: Uint8Array, elapsedMs: number, head: ReplyHead) => boolean;

/** What stands before the body of a reply. */
export interface ReplyHead {
  status: number;
  /** Names in lower case; repeated headers joined by a comma. */
  headers: Readonly<Record<string, string>>;
}

export interface HttpReply extends ReplyHead {
  body: string;
  /** From sending the request to the last byte, milliseconds. */
  latencyMs: number;
}

/** Why no complete reply came. */
export type HttpFailure =
  | { kind: "timeout"; which: "connect" | "headers" | "idle" | "request"; ms: number; cause: Error }
  | { kind: "aborted"; cause: Error }
  /** `brokeOff`: the reply had started, so the server was there. */
  | { kind: "network"; systemCode: string | null; message: string; cause: Error; brokeOff?: true }
  /** A reply came, but its body is too large or is not in the encoding that it claims. */
  | { kind: "unreadable"; status: number; headers: HttpReply["headers"]; message: string; cause: Error }
  /** The request is not one that HTTP can carry, such as a line feed in a header; nothing was sent. */
  | { kind: "unsendable"; message: string; cause: Error }
  /** Nothing was sent, because the run answers from recordings; `error` says why that could not be done. */
  | { kind: "withheld"; error: KindlmError; message: string; cause: Error };

/** Who makes a request, for a transport that keeps what is said. */
export interface ExchangeContext {
  /** The model that is asked; null for an agent that is a service. */
  asked: { provider: string; model: string } | null;
  caseId: string;
  /** From 1 within the case. */
  trial: number;
  /** From 1 within the trial. */
  turn: number;
  /** From 1 within the turn. */
  attempt: number;
  /** Set if tokens are counted: such a request may have the body of another one. */
  isCount?: true;
  /** Strings of the request that are new in each run, by the name that replaces them in a recording. */
  volatile?: Readonly<Record<string, string>>;
  /** Set by a transport that answered from a recording: how long the exchange took then, milliseconds. */
  replayedMs?: number;
}

export interface SendOptions {
  signal: AbortSignal;
  /** Absent where nothing is kept. */
  exchange?: ExchangeContext;
}

/** One HTTP exchange. Never throws; any status is a reply. */
export interface HttpTransport {
  send(request: HttpRequest, options: SendOptions): Promise<HttpOutcome>;
  /** Closes kept-alive connections. */
  close(): Promise<void>;
}

/** Deadlines of one attempt, milliseconds. */
export interface RequestTimeouts {
  connectMs: number;
  headersMs: number;
  idleMs: number;
  requestMs: number;
}

/** The transport, with the modules of the user's behind the requests that they answer. */
export function withModules(http: HttpTransport, modules: UserModules): HttpTransport {
  return {
    send(request, options) {
      const { answer, timeouts } = request;
      if (answer === undefined) return http.send(request, options);
      return answer(modules, { signal: options.signal, timeoutMs: timeouts.requestMs });
    },
    close: () => http.close(),
  };
}
