import type { ToolEvent } from "../transcript/tool-event.js";
import type { ListedTool } from "../tools/tool-lists.js";
import type { HandlerFailure } from "../tools/tool-handler.js";
import type { JsonValue } from "../values/json.js";

/** The version of the files; one that is newer is not read. */
export const cassetteVersion = 1;

/** The first line of a file. */
export interface CassetteHeader {
  kindlm: "cassette";
  version: number;
  suite: string;
  test: string;
}

/** What a source of tools said of them. */
export interface ToolListLine {
  /** Name of the source, such as `mcp orders`. */
  tools: string;
  list: readonly ListedTool[];
}

/** A request, once for all exchanges that made it. */
export interface RequestLine {
  /** Its key: a hash of all that follows. */
  request: string;
  /** Provider and model; absent for an agent that is a service. */
  provider?: string;
  model?: string;
  /** For a service: method and path; for a count of tokens: what it is. */
  method?: string;
  path?: string;
  /** True when the reply was asked for in pieces. */
  stream?: true;
  /** Scrubbed, its keys in alphabetical order; text if it is not JSON, null if there is none. */
  body: JsonValue;
}

/** Which recording of a key it is. */
interface Place {
  case: string;
  /** From 1 within the case. */
  trial: number;
  /** From 1 within the trial, among those with the same key. */
  n: number;
}

/** Why no complete reply came. */
export type RecordedFailure =
  | { kind: "timeout"; which: "connect" | "headers" | "idle" | "request"; ms: number }
  | { kind: "network"; systemCode: string | null; message: string; brokeOff?: true }
  | { kind: "unreadable"; message: string }
  | { kind: "unsendable"; message: string };

/** One attempt: a request and its outcome. */
export interface ExchangeLine extends Place {
  /** Key of the request. */
  exchange: string;
  turn: number;
  attempt: number;
  /** Absent where no reply came. */
  status?: number;
  /** Those that matter to how the reply is read. */
  headers?: Readonly<Record<string, string>>;
  /** The body as JSON, where writing it out gives the very text that came. */
  body?: JsonValue;
  /** Any other body. */
  text?: string;
  /** A body that came in pieces: milliseconds since the request, and the piece. */
  pieces?: readonly (readonly [ms: number, text: string])[];
  /** The same as base64, if it is not text. */
  bytes?: readonly (readonly [ms: number, base64: string])[];
  failure?: RecordedFailure;
  /** From sending the request to its end, milliseconds. */
  ms: number;
  /** Code of the error that it was. */
  error?: string;
  /** True for a failure that may pass: `auto` asks again. */
  passing?: true;
}

/** One call of a tool outside of KindLM, and its outcome. */
export interface CallLine extends Place {
  /** A hash of tool and arguments. */
  call: string;
  tool: string;
  args: JsonValue;
  result?: JsonValue;
  failure?: HandlerFailure;
  /** True where the deadline of the tool ended it. */
  timedOut?: true;
  events?: readonly ToolEvent[];
  ms: number;
}

export type Entry = ExchangeLine | CallLine;

/** Everything of one file. */
export interface CassetteContent {
  header: CassetteHeader;
  lists: Map<string, readonly ListedTool[]>;
  requests: Map<string, RequestLine>;
  /** By case, then by trial, in the order of the file. */
  cases: Map<string, Map<number, Entry[]>>;
}

export function keyOf(entry: Entry): string {
  return "exchange" in entry ? entry.exchange : entry.call;
}

export function emptyCassette(suite: string, test: string): CassetteContent {
  return {
    header: { kindlm: "cassette", version: cassetteVersion, suite, test },
    lists: new Map(),
    requests: new Map(),
    cases: new Map(),
  };
}
