import { isDeepStrictEqual } from "node:util";
import { readToolArguments } from "../../../../providers/tool-arguments.js";
import type { ModelParams, ToolDefinition } from "../../../../providers/provider.js";
import type { ContentPart, Message, RequestedToolCall } from "../../../../transcript/message.js";
import { stringifyExact } from "../../../../values/exact-integers.js";
import { isRecord } from "../../../../values/json.js";
import type { AgentRequest } from "../../agent-request.js";
import type { Body } from "../read-body.js";
import type { GeminiRequest } from "./gemini-table.js";
import { toJsonSchema } from "./open-api-schema.js";

/**
 * Translates a request of `generateContent` back, whose calls and results have ids. `keptOf` gives what an adapter wants to
 * have sent back unchanged with the answer that holds a call, which no agent knows of.
 */
export function readGeminiRequest(request: GeminiRequest, keptOf: (callId: string) => unknown): AgentRequest {
  const { contents, systemInstruction, tools, toolConfig } = request;
  const messages: Message[] = [];
  let answer: Part[] | null = null;
  for (const { role, parts } of contents) {
    if (role !== "model") {
      if (answer !== null) messages.push(...toAnswer(answer, keptOf));
      answer = null;
      messages.push(...toUserMessages(parts ?? []));
      // A stream may be kept as several contents in a row.
    } else answer = [...(answer ?? []), ...(parts ?? [])];
  }
  if (answer !== null) messages.push(...toAnswer(answer, keptOf));
  const allowed = toolConfig?.functionCallingConfig?.allowedFunctionNames ?? [];
  const declared = (tools ?? []).flatMap(({ functionDeclarations }) => functionDeclarations ?? []).map(toTool);
  return {
    system: systemInstruction?.parts.map(({ text }) => text).join("\n\n") ?? null,
    messages,
    tools: allowed.length > 1 ? declared.filter(({ name }) => allowed.includes(name)) : declared,
    params: paramsOf(request),
  };
}

/** Empty if nothing was said. */
function toAnswer(parts: readonly Part[], keptOf: (callId: string) => unknown): readonly Message[] {
  const text = parts.map((part) => (part.thought === true ? "" : (part.text ?? ""))).join("");
  const toolCalls = parts.flatMap(({ functionCall: call }): RequestedToolCall[] =>
    call ? [{ id: call.id, tool: call.name, ...readToolArguments(call.args) }] : [],
  );
  if (text === "" && toolCalls.length === 0) return [];
  const isSigned = parts.some(({ thought, thoughtSignature }) => thought === true || Boolean(thoughtSignature));
  const known = toolCalls[0] === undefined ? undefined : keptOf(toolCalls[0].id);
  const kept = known ?? (isSigned ? { gemini: { parts } } : undefined);
  return [{ role: "assistant", text, toolCalls, ...(kept === undefined ? {} : { providerData: kept }) }];
}

/** Results come first, since they belong to the calls before. */
function toUserMessages(parts: readonly Part[]): readonly Message[] {
  const results = parts.flatMap(({ functionResponse: result }): Message[] =>
    result ? [{ role: "tool", callId: result.id, tool: result.name, ...readResult(result.response) }] : [],
  );
  const said = parts.flatMap(({ text, inlineData: data, fileData }): ContentPart[] => {
    if (typeof text === "string") return [{ type: "text", text }];
    if (data) return [{ type: "image", source: { kind: "base64", mediaType: data.mimeType, data: data.data } }];
    return fileData ? [{ type: "image", source: { kind: "url", url: fileData.fileUri } }] : [];
  });
  const [first, ...others] = said;
  if (first === undefined) return results;
  const content = others.length === 0 && first.type === "text" ? first.text : said;
  return [...results, { role: "user", content }];
}

/** What a model gets to see of a result: what is under `output` or `error`, or all of it. */
export function readResult(response: unknown): { content: string; isError: boolean } {
  if (!isRecord(response)) return { content: "", isError: false };
  const isError = response["error"] !== undefined && response["error"] !== null;
  const [only, ...others] = Object.keys(response);
  const isWrapped = others.length === 0 && (only === "output" || only === "error");
  const value = isWrapped ? response[only] : response;
  return { content: typeof value === "string" ? value : stringifyExact(value ?? null), isError };
}

function toTool({ name, description, parameters, parametersJsonSchema }: Declaration): ToolDefinition {
  const schema = parametersJsonSchema ?? (parameters ? toJsonSchema(parameters) : { type: "object", properties: {} });
  return { name, ...(typeof description === "string" ? { description } : {}), parameters: schema };
}

const choices = { AUTO: "auto", VALIDATED: "auto", NONE: "none", ANY: "required" } as const;
const numbers = [
  ["temperature", "temperature"],
  ["topP", "top_p"],
  ["maxOutputTokens", "max_tokens"],
  ["seed", "seed"],
  ["presencePenalty", "presence_penalty"],
  ["frequencyPenalty", "frequency_penalty"],
] as const;

function paramsOf({ generationConfig, toolConfig }: GeminiRequest): ModelParams {
  const params: ModelParams = {};
  for (const [key, name] of numbers) {
    const value = generationConfig?.[key];
    if (typeof value === "number") params[name] = value;
  }
  const { mode, allowedFunctionNames } = toolConfig?.functionCallingConfig ?? {};
  const [only, ...others] = mode === "ANY" ? (allowedFunctionNames ?? []) : [];
  if (only !== undefined && others.length === 0) params.tool_choice = { tool: only };
  else if (mode && mode !== "MODE_UNSPECIFIED") params.tool_choice = choices[mode];
  const { stopSequences, responseMimeType, responseSchema, responseJsonSchema, thinkingConfig } =
    generationConfig ?? {};
  if (stopSequences && stopSequences.length > 0) params.stop = stopSequences;
  const effort = effortOf(thinkingConfig);
  if (effort !== null) params.reasoning_effort = effort;
  const schema = responseJsonSchema ?? (responseSchema ? toJsonSchema(responseSchema) : null);
  if (schema !== null) params.response_format = { schema };
  else if (responseMimeType === "application/json") params.response_format = "json";
  return params;
}

function effortOf(thinking: Config["thinkingConfig"]): string | null {
  const { thinkingLevel: level, thinkingBudget: budget } = thinking ?? {};
  if (level && level !== "THINKING_LEVEL_UNSPECIFIED") return level.toLowerCase();
  if (typeof budget !== "number" || budget < 0) return null;
  if (budget === 0) return "none";
  return budget <= 1_024 ? "low" : budget <= 8_192 ? "medium" : "high";
}

/**
 * The contents of a request with an id on each call and each result. Models may send calls without ids, and clients leave
 * them out or put others in their place, so that such a call is recognized by its name and its arguments, and such a
 * result by its name, in their order.
 *
 * @param known - the calls that models of the trial requested, in their order
 */
export function identifyCalls(contents: unknown, known: readonly RequestedToolCall[]): unknown {
  if (!Array.isArray(contents)) return contents;
  const ids = new CallIds(known);
  let isOfModel = false;
  return contents.map((content: unknown) => {
    if (!isRecord(content)) return content;
    const { role, parts } = content;
    // A stream may be kept as several contents in a row.
    if (role === "model" && !isOfModel) ids.beginAnswer();
    isOfModel = role === "model";
    return Array.isArray(parts)
      ? { ...content, parts: parts.map((part: unknown) => identifyPart(part, ids)) }
      : content;
  });
}

function identifyPart(part: unknown, ids: CallIds): unknown {
  if (!isRecord(part)) return part;
  const { functionCall: call, functionResponse: result } = part;
  if (isRecord(call)) return { ...part, functionCall: { ...call, id: ids.ofCall(call) } };
  return isRecord(result) ? { ...part, functionResponse: { ...result, id: ids.ofResult(result) } } : part;
}

class CallIds {
  readonly #unused: RequestedToolCall[];
  /** Those whose results have not come. `own`: the id that the client has for it. */
  #pending: { id: string; own: unknown; name: unknown }[] = [];
  #unknown = 0;

  constructor(known: readonly RequestedToolCall[]) {
    this.#unused = [...known];
  }

  beginAnswer(): void {
    this.#pending = [];
  }

  ofCall({ id: own, name, args }: Body): string {
    const byId = this.#unused.findIndex(({ id }) => id === own);
    const at =
      byId === -1
        ? this.#unused.findIndex((call) => call.tool === name && isDeepStrictEqual(call.args ?? {}, args ?? {}))
        : byId;
    const [found] = at === -1 ? [] : this.#unused.splice(at, 1);
    const id = found?.id ?? (isId(own) ? own : `call_0_${(this.#unknown += 1)}`);
    this.#pending.push({ id, own, name });
    return id;
  }

  ofResult({ id: own, name }: Body): string {
    const byId = isId(own) ? this.#pending.findIndex((call) => call.own === own || call.id === own) : -1;
    const at = byId === -1 ? this.#pending.findIndex((call) => call.name === name) : byId;
    const [found] = at === -1 ? [] : this.#pending.splice(at, 1);
    return found?.id ?? (isId(own) ? own : `call_0_${(this.#unknown += 1)}`);
  }
}

function isId(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

type Part = NonNullable<GeminiRequest["contents"][number]["parts"]>[number];
type Config = NonNullable<GeminiRequest["generationConfig"]>;
type Tools = NonNullable<GeminiRequest["tools"]>;
type Declaration = NonNullable<Tools[number]["functionDeclarations"]>[number];
