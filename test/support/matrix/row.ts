import type { ServerResponse } from "node:http";
import type { Clock, ErrorCode, KindlmConfig } from "../../../packages/core/src/index.js";
import type { ProviderShape } from "../../../packages/core/src/__fixtures__/provider-replies.js";
import type { ReceivedRequest } from "../../../packages/core/src/__fixtures__/start-server.js";

/** What a step knows when it answers. Its waits are in the time of the run. */
export interface Scene {
  shape: ProviderShape;
  request: ReceivedRequest;
  response: ServerResponse;
  clock: Clock;
}

/** What a server does with one request. */
export type Step = (scene: Scene) => void | Promise<void>;

/** A server that is none of plain HTTP. */
export interface RawServer {
  /** Where a provider of shape `openai` finds it. */
  baseUrl: string;
  /** How many requests it has read. */
  requests(): number;
  close(): Promise<void>;
}

/** From and to, milliseconds. */
export type Span = readonly [number, number];

/** One way of misbehaving, and what must come of it. */
export interface Row {
  name: string;
  /** A step for each request, of which the last serves all further ones; or a server of its own. */
  server: readonly [Step, ...Step[]] | (() => Promise<RawServer>);
  /** `openai` when absent. */
  shape?: ProviderShape;
  /** Keys of the config's top level. */
  config?: Partial<KindlmConfig>;
  /** Keys of the model. */
  model?: Partial<NonNullable<KindlmConfig["models"]>[number]>;
  /** For how long nothing may happen before time leaps, milliseconds. For what other threads do, which Node does not tell. */
  restMs?: number;

  code: ErrorCode | "passed";
  /** The error's; none for what passed. */
  message?: string | RegExp;
  /** That the server read. */
  requests: number;
  /** That the run counts, where it is not the same: those that never reached the server. */
  attempts?: number;
  /** Between the attempts; none when absent. */
  waits?: readonly Span[];
  /** What else must take its time: deadlines and the server's slowness. */
  spentMs?: number;
}

/** The waits of the default preset. */
export const backoff: readonly Span[] = [
  [1_000, 1_100],
  [2_000, 2_200],
];

/** Twice what the server asked for. */
export function twice(ms: number): readonly Span[] {
  return [
    [ms, ms],
    [ms, ms],
  ];
}
