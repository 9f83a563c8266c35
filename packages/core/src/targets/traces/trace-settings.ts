import { deadlineSchema, durationSchema } from "../../schema-parts/duration-schema.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import * as z from "../../values/deferred-zod.js";

/** How the spans of a target are received. */
export interface TraceSettings {
  /** The longest that spans are awaited after an answer, ms. */
  waitMs: number;
  /** How long no span must have come once the trace is whole, ms. */
  quietMs: number;
  /** Where KindLM listens; null for the default of the target. */
  port: number | null;
  host: string;
  /** Whether each trial has its own address, which KindLM hands to the agent that it starts. */
  isOwn: boolean;
}

const defaults: TraceSettings = { waitMs: 10_000, quietMs: 200, port: null, host: "127.0.0.1", isOwn: true };

/** `traces:` of a target whose agent sends spans to KindLM. */
export const tracesSchema = z
  .union([
    z.boolean().transform((traces): TraceSettings | undefined => (traces ? defaults : undefined)),
    strictObject({
      wait: deadlineSchema.optional().describe("Longest wait for spans after an answer (10s)"),
      quiet: durationSchema.optional().describe("Quiet time once the trace is whole (200ms)"),
      port: z.int().min(0).max(65_535).optional().describe("Port to listen at (4318 for url, else a free one)"),
      host: z.string().min(1).optional().describe("Address to listen at (127.0.0.1)"),
    }).transform(({ wait, quiet, port, host }): TraceSettings => ({
      ...defaults,
      waitMs: wait ?? defaults.waitMs,
      quietMs: quiet ?? defaults.quietMs,
      port: port ?? defaults.port,
      host: host ?? defaults.host,
    })),
  ])
  .optional()
  .describe("Takes turns and tool calls from the agent's OpenTelemetry spans")
  .meta({ examples: [true, { wait: "5s" }] });

/** The key of a setting that says the same as the spans; null if there is none. */
export function contradicting(
  traces: TraceSettings | undefined,
  settings: Readonly<Record<string, unknown>>,
): string | null {
  if (traces === undefined) return null;
  return Object.keys(settings).find((key) => settings[key] !== undefined && settings[key] !== false) ?? null;
}
