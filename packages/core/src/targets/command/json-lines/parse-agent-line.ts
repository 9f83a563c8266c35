import * as z from "../../../values/deferred-zod.js";
import { failure, success, type Result } from "../../../result.js";
import { parseWith } from "../../../schema-parts/parse-with.js";
import { isRecord } from "../../../values/json.js";
import { renderPath } from "../../../values/preview.js";
import { overlookedArguments, overlookedCall } from "../../program/overlooked.js";
import type { TargetErrorKind } from "../../program/target-error.js";
import { bodyRoom, parseJson } from "../../../values/parse-json.js";

const count = z.number().int().min(0);

/** Who says it, from here on. */
const agentName = z.string().min(1).optional();

const messageSchemas = {
  text: z.object({ type: z.literal("text"), text: z.string(), agent: agentName }),
  /** Without `result` and `error` it asks KindLM to run the tool; with one of them the agent has run it. */
  tool_call: z.object({
    type: z.literal("tool_call"),
    id: z.string().min(1),
    tool: z.string().min(1),
    args: z.unknown().optional(),
    result: z.unknown().optional(),
    error: z.string().optional(),
    agent: agentName,
  }),
  usage: z.object({
    type: z.literal("usage"),
    input_tokens: count,
    output_tokens: count,
    cached_input_tokens: count.optional(),
    reasoning_tokens: count.optional(),
    cost_usd: z.number().min(0).optional(),
    model: z.string().optional(),
  }),
  error: z.object({ type: z.literal("error"), message: z.string() }),
  done: z.object({ type: z.literal("done"), finish_reason: z.string().optional() }),
} as const;

type MessageSchemas = typeof messageSchemas;

/** A line that the agent wrote. */
export type AgentMessage = { [Type in keyof MessageSchemas]: z.output<MessageSchemas[Type]> }[keyof MessageSchemas];

export interface LineProblem {
  kind: TargetErrorKind;
  message: string;
}

/** Reads one line of an agent; null for an empty one. */
export function parseAgentLine(line: string): Result<AgentMessage | null, LineProblem> {
  if (line.trim() === "") return success(null);
  const json = parseJson(line, bodyRoom);
  if (!json.success || !isRecord(json.data)) return malformed("it is not a JSON object");
  const { type } = json.data;
  if (typeof type !== "string") return malformed('it has no "type"');
  if (!isKnown(type)) {
    const message = `The agent wrote a message of the unknown type "${type.slice(0, 80)}"`;
    return failure({ kind: "unexpected_message", message });
  }
  const parsed = parseWith<AgentMessage>(messageSchemas[type], json.data);
  if (parsed.success) {
    const problem = overlookedIn(type, json.data);
    return problem === null ? parsed : malformed(problem);
  }
  const [first] = parsed.error;
  return malformed(`${renderPath(first?.path ?? [])}: ${first?.message ?? "not valid"}`);
}

function overlookedIn(type: keyof MessageSchemas, line: Record<string, unknown>): string | null {
  if (type === "tool_call") {
    const key = overlookedArguments(line);
    return key === null ? null : `"${key}" may be the arguments of the call, which belong in "args"`;
  }
  const place = overlookedCall(line, z.objectKeys(messageSchemas[type]) ?? []);
  return place === null ? null : `${place} looks like a tool call, which must be a separate message`;
}

function isKnown(type: string): type is keyof MessageSchemas {
  return Object.hasOwn(messageSchemas, type);
}

function malformed(reason: string): Result<never, LineProblem> {
  return failure({ kind: "malformed_message", message: `The agent wrote a line that cannot be read: ${reason}` });
}
