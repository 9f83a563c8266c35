import { success, type Result } from "../../result.js";
import { parseWith } from "../../schema-parts/parse-with.js";
import * as z from "../../values/deferred-zod.js";
import { isRecord } from "../../values/json.js";
import { renderPath } from "../../values/preview.js";
import { overlookedArguments, overlookedCall } from "../program/overlooked.js";
import type { AgentAnswer } from "./define-agent.js";

const count = z.number().int().min(0);

const answerSchema = z.object({
  text: z.string(),
  toolCalls: z
    .array(
      z.object({
        tool: z.string().min(1),
        args: z.unknown().optional(),
        result: z.unknown().optional(),
        error: z.string().optional(),
        agent: z.string().min(1).optional(),
      }),
    )
    .optional(),
  usage: z
    .object({
      inputTokens: count,
      outputTokens: count,
      cachedInputTokens: count.optional(),
      reasoningTokens: count.optional(),
    })
    .optional(),
  costUsd: z.number().min(0).optional(),
  model: z.string().optional(),
  finishReason: z.string().optional(),
  agent: z.string().min(1).optional(),
});

type ReadAnswer = z.output<typeof answerSchema>;

/** Reads what an agent returned; a plain string is an answer too. Fails with the reason if it is not one. */
export function readAgentAnswer(returned: unknown): Result<ReadAnswer, string> {
  if (typeof returned === "string") return success({ text: returned } satisfies AgentAnswer);
  const parsed = parseWith(answerSchema, returned);
  if (parsed.success) {
    const problem = overlookedIn(returned);
    return problem === null ? parsed : { success: false, error: problem };
  }
  const [first] = parsed.error;
  const place = first === undefined || first.path.length === 0 ? "" : `${renderPath(first.path)}: `;
  return { success: false, error: `${place}${first?.message ?? "not valid"}` };
}

function overlookedIn(returned: unknown): string | null {
  if (!isRecord(returned)) return null;
  const place = overlookedCall(returned, z.objectKeys(answerSchema) ?? []);
  if (place !== null) return `${place} looks like a tool call, which belongs in toolCalls`;
  const calls: readonly unknown[] = Array.isArray(returned["toolCalls"]) ? returned["toolCalls"] : [];
  for (const [index, call] of calls.entries()) {
    const key = overlookedArguments(call);
    if (key !== null) return `toolCalls[${index}]: "${key}" may be its arguments, which belong in args`;
  }
  return null;
}
