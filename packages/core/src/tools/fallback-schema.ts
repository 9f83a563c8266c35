import * as z from "../values/deferred-zod.js";
import type { JsonValue } from "../values/json.js";
import { simulatedDefaultSchema, simulatedResponseSchema } from "./simulated/simulated-tool-schema.js";
import { strictObject } from "../schema-parts/strict-object.js";
import { toolGlob } from "../schema-parts/tool-glob.js";
import type { ToolFallback } from "./tool-config.js";
import { toolErrorSchema } from "./tool-error-schema.js";

/** Wrong arguments are the agent's; no other tool would make them right. */
const fallbackErrors = ["runtime", "aborted", "logical", "exception"] as const;
const whenDown = ["runtime", "aborted"] as const;

const fallbackKeys = {
  on: z
    .array(z.enum(fallbackErrors))
    .min(1)
    .optional()
    .describe("The types of errors that it answers in place of; default is runtime and aborted: the tool is down")
    .meta({ examples: [["runtime"]] }),
  return: z
    .custom<JsonValue>((value) => value !== undefined)
    .optional()
    .describe("What is returned instead: any value; strings may hold {{args.x}}"),
  error: toolErrorSchema.optional().describe("The error that the model receives instead"),
  responses: z
    .array(simulatedResponseSchema)
    .min(1)
    .optional()
    .describe("Answers tried in order, as those of a simulated tool; where none fits, the error stands"),
  default: simulatedDefaultSchema.optional().describe("The answer when no response matches"),
  last_value: z
    .literal(true)
    .optional()
    .describe(
      "What the tool returned last in this run for the same arguments; the other keys answer where it never did",
    ),
};

type WrittenFallback = z.output<ReturnType<typeof strictObject<typeof fallbackKeys>>>;

function toFallback(written: WrittenFallback, context: z.RefinementCtx): ToolFallback {
  const { on = whenDown, return: value, error, responses = [], default: otherwise, last_value } = written;
  const given = (["return", "error", "responses", "default"] as const).filter((key) => written[key] !== undefined);
  const [first, second] = given;
  if (first === undefined && last_value === undefined) {
    const message = "A fallback needs `return`, `error`, `responses`, `default` or `last_value`\nSuch as return: null";
    context.addIssue({ code: "custom", message });
  }
  if (second !== undefined && first !== "responses") {
    const hint = second === "error" ? "Remove one of the two" : "Write it under default, next to responses";
    const message = `A fallback has either \`${first}\` or \`${second}\`, not both\n${hint}`;
    context.addIssue({ code: "custom", message, path: [second], params: { atKey: true } });
  }
  const short = error !== undefined ? { error } : value !== undefined ? { return: value } : null;
  return {
    on,
    usesLastValue: last_value === true,
    responses,
    default: otherwise ?? (short === null ? null : [{ delayMs: 0, set: [], answer: short }]),
  };
}

/** `fallback:` of a tool. */
export const fallbackSchema = strictObject(fallbackKeys).transform(toFallback);

/** An entry of `fallback:` of an MCP server. */
export const namedFallbackSchema = strictObject({
  tool: toolGlob
    .describe("Name of the tool; * and ? stand for any text and any character")
    .meta({ examples: ["read_*"] }),
  ...fallbackKeys,
}).transform(({ tool, ...written }, context) => ({ tool, fallback: toFallback(written, context) }));
