import * as z from "../../values/deferred-zod.js";
import { success, type Result } from "../../result.js";
import { parseWith } from "../../schema-parts/parse-with.js";
import { renderPath } from "../../values/preview.js";
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
});

type ReadAnswer = z.output<typeof answerSchema>;

/** What an agent returned; a text alone is an answer too. Fails with what is wrong with it. */
export function readAgentAnswer(returned: unknown): Result<ReadAnswer, string> {
  if (typeof returned === "string") return success({ text: returned } satisfies AgentAnswer);
  const parsed = parseWith(answerSchema, returned);
  if (parsed.success) return parsed;
  const [first] = parsed.error;
  const place = first === undefined || first.path.length === 0 ? "" : `${renderPath(first.path)}: `;
  return { success: false, error: `${place}${first?.message ?? "not valid"}` };
}
