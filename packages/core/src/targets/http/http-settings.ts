import * as z from "../../values/deferred-zod.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import type { JsonValue } from "../../values/json.js";
import type { ProgramSettings } from "../define-target.js";
import { programKeys } from "../program/program-keys.js";
import { contradicting, tracesSchema } from "../traces/trace-settings.js";

/** The paths of the parts of an answer in a JSON reply, such as `reply.steps.0`; null for a part that is not there. */
export interface ResponsePaths {
  text: string | null;
  toolCalls: string | null;
  usage: string | null;
  session: string | null;
  agent?: string;
}

export interface HttpTargetConfig extends ProgramSettings {
  kind: "http";
  url: string;
  method: "GET" | "POST";
  headers: Readonly<Record<string, string>>;
  /** Null for no body. A string is sent as it is, anything else as JSON. */
  body: JsonValue;
  response: ResponsePaths;
}

const path = z.string().trim().min(1);

/** `target: { url: … }` */
export const httpTargetSchema = strictObject({
  url: z
    .string()
    .min(1)
    .describe("Address of the agent; may hold {{input}}, {{session}}, {{workspace}}, and ${NAME} from the environment")
    .meta({ examples: ["https://agent.example.com/chat"] }),
  method: z.enum(["GET", "POST"]).optional().describe("How it is asked (POST)"),
  headers: z
    .record(z.string().min(1), z.string())
    .optional()
    .describe("Headers of each request; a secret comes from the environment as ${NAME}")
    .meta({ examples: [{ authorization: "Bearer ${AGENT_TOKEN}" }] }),
  body: z
    .json()
    .optional()
    .describe("Body of each request: a string, or anything else as JSON ({ input, session })")
    .meta({ examples: [{ message: "{{input}}", session: "{{session}}" }] }),
  response: strictObject({
    text: path.optional().describe("Path of the answer; without it the whole reply is the answer"),
    tool_calls: path.optional().describe("Path of the list of calls: tool or name, args or arguments, result, error"),
    usage: path.optional().describe("Path of the token counts: input_tokens and output_tokens, or OpenAI's names"),
    session: path.optional().describe("Path of the id that later messages of the conversation send as {{session}}"),
    agent: path.optional().describe("Path of the name of the agent that answers, if there are several"),
  })
    .optional()
    .describe("The paths of the parts of the answer in the JSON reply, such as reply.steps.0")
    .meta({ examples: [{ text: "reply.text", session: "session_id" }] }),
  ...programKeys("http"),
  traces: tracesSchema,
}).transform((written, context): HttpTargetConfig => {
  const { url, method = "POST", headers = {}, response, id = "http", traces } = written;
  const { tool_calls: toolCalls, usage } = response ?? {};
  const key = contradicting(traces, { tool_calls: toolCalls, usage });
  if (key !== null) {
    const message = `"${key}" cannot be combined with "traces": the spans of the agent say the same\nRemove it`;
    context.addIssue({ code: "custom", path: ["response", key], message });
    return z.NEVER;
  }
  const body = written.body ?? { input: "{{input}}", session: "{{session}}" };
  return {
    kind: "http",
    url,
    method,
    headers,
    body: method === "GET" ? null : body,
    response: {
      text: response?.text ?? null,
      toolCalls: toolCalls ?? null,
      usage: usage ?? null,
      session: response?.session ?? null,
      ...(response?.agent === undefined ? {} : { agent: response.agent }),
    },
    id,
    proxy: false,
    runsTools: false,
    // A service has one address for all trials. Exporters send to this port by default.
    ...(traces === undefined ? {} : { traces: { ...traces, port: traces.port ?? 4318, isOwn: false } }),
  };
});
