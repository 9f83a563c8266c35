import { isRecord } from "../values/json.js";
import type { Findings } from "./findings.js";
import { listOf, stringOf, type SourceNode } from "./source/source-node.js";
import { noted } from "./written/write-yaml.js";
import type { Names } from "./names.js";

/** A model of KindLM without its id and params. */
interface ConvertedModel {
  provider: string;
  model: string;
  /** Settings of the provider under its name, where it is none that KindLM knows. */
  server?: { name: string; base_url: string; api_key_env: string };
}

type Converter = (rest: string) => ConvertedModel;

/** `chat:gpt-5` as `gpt-5`; the first word may be left out. */
const withoutKind = (rest: string): string => rest.replace(/^(?:chat|responses|completion|messages|converse):/, "");
const of =
  (provider: string): Converter =>
  (rest) => ({ provider, model: withoutKind(rest) });
const like =
  (name: string, base_url: string, api_key_env: string): Converter =>
  (rest) => ({ provider: name, model: withoutKind(rest), server: { name, base_url, api_key_env } });

/** By the first word of a provider of promptfoo. A new one is a line. */
const providerTable: Readonly<Record<string, Converter>> = {
  openai: of("openai"),
  anthropic: of("anthropic"),
  google: of("gemini"),
  palm: of("gemini"),
  mistral: of("mistral"),
  cohere: of("cohere"),
  ollama: of("ollama"),
  azure: of("azure"),
  azureopenai: of("azure"),
  bedrock: of("bedrock"),
  openrouter: like("openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
  groq: like("groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY"),
  deepseek: like("deepseek", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
  togetherai: like("together", "https://api.together.xyz/v1", "TOGETHER_API_KEY"),
  together: like("together", "https://api.together.xyz/v1", "TOGETHER_API_KEY"),
  fireworks: like("fireworks", "https://api.fireworks.ai/inference/v1", "FIREWORKS_API_KEY"),
  cerebras: like("cerebras", "https://api.cerebras.ai/v1", "CEREBRAS_API_KEY"),
  perplexity: like("perplexity", "https://api.perplexity.ai", "PERPLEXITY_API_KEY"),
  xai: like("xai", "https://api.x.ai/v1", "XAI_API_KEY"),
};

/** Params with the same name and meaning. */
const sameParams: ReadonlySet<string> = new Set([
  "temperature",
  "top_p",
  "max_tokens",
  "seed",
  "stop",
  "frequency_penalty",
  "presence_penalty",
  "reasoning_effort",
  "parallel_tool_calls",
]);

/** Params with the same meaning under another name. */
const renamedParams: Readonly<Record<string, string>> = {
  max_completion_tokens: "max_tokens",
  max_output_tokens: "max_tokens",
  maxOutputTokens: "max_tokens",
  num_predict: "max_tokens",
  topP: "top_p",
  stopSequences: "stop",
  stop_sequences: "stop",
};

/** What is tested by the suites: models, or a program that is the agent. */
export interface ConvertedAgents {
  /** Entries of `models`. */
  models: unknown[];
  /** Their ids, for the suites that run on models. */
  modelIds: string[];
  /** By the name of the suite that tests it. */
  targets: { name: string; target: Readonly<Record<string, unknown>>; comments: readonly string[] }[];
  /** Entries of `providers`. */
  providers: Record<string, unknown>;
  /** Tools that the models declare. */
  tools: DeclaredTool[];
}

interface DeclaredTool extends Readonly<Record<string, unknown>> {
  name: string;
}

interface World {
  findings: Findings;
  names: Pick<Names, "unique">;
}

/** Converts `providers`, which may be one, a list, or objects with the ID as their key. */
export function convertProviders(node: SourceNode | null, world: World): ConvertedAgents {
  const agents: ConvertedAgents = { models: [], modelIds: [], targets: [], providers: {}, tools: [] };
  for (const provider of listOf(node)) convertProvider(provider, agents, world);
  return agents;
}

/** A model for a provider that is written elsewhere, such as that of a judge. Returns its ID. */
export function convertProvider(node: SourceNode, agents: ConvertedAgents, { findings, names }: World): string | null {
  const { id, label, config, extras } = partsOf(node);
  const todos = extras.map((key) => findings.add(node, `"${key}" of a provider has no counterpart`));
  const comments = [node.comment, ...todos];
  if (id === null) {
    findings.add(node, "a provider without an id was left out");
    return null;
  }
  const target = targetOf(id, config);
  if (target !== null) {
    if (!("command" in target) || !id.startsWith("exec:")) comments.push(findings.add(node, toAdapt(target)));
    agents.targets.push({ name: names.unique(label ?? "agent"), target, comments });
    return null;
  }
  const known = knownModel(id);
  const name = names.unique(label ?? known?.model ?? id);
  agents.modelIds.push(name);
  if (known === null) {
    if (id !== "echo")
      comments.push(findings.add(node, `KindLM does not know the provider "${id}": name another model`));
    agents.models.push(noted(scripted(name, id), comments));
    return name;
  }
  const { server, ...model } = known;
  if (server !== undefined) {
    agents.providers[server.name] = { type: "openai", base_url: server.base_url, api_key_env: server.api_key_env };
  }
  const { params, left, tools } = paramsOf(config);
  for (const tool of tools) if (!agents.tools.some((one) => one.name === tool.name)) agents.tools.push(tool);
  const unknown = left.map((key) => findings.add(node, `"${key}" of ${id} was left out: see params of a model`));
  const written = { id: name, ...model, ...(Object.keys(params).length > 0 ? { params } : {}) };
  agents.models.push(noted(written, [...comments, ...unknown]));
  return name;
}

function knownModel(id: string): ConvertedModel | null {
  const [prefix = "", rest = ""] = id.split(/:(.*)/s);
  const convert = Object.hasOwn(providerTable, prefix) ? providerTable[prefix] : undefined;
  return rest === "" ? null : (convert?.(rest) ?? null);
}

/** A model that repeats the message, as `echo` does, and otherwise one that cannot pass for another. */
function scripted(name: string, id: string): Readonly<Record<string, unknown>> {
  const otherwise =
    id === "echo" ? { text: "{{user}}" } : { error: { status: 501, body: `Replace the model ${name}` } };
  return { id: name, provider: "scripted", script: { otherwise } };
}

function partsOf(node: SourceNode) {
  const plain = stringOf(node);
  if (plain !== null) return { id: plain, label: null, config: null, extras: [] };
  const [only, ...more] = node.entries();
  // `{ "openai:gpt-5": { config } }`
  if (only !== undefined && more.length === 0 && only[0] !== "id") {
    return { id: only[0], label: stringOf(only[1].get("label")), config: only[1].get("config"), extras: [] };
  }
  const extras = node.entries().flatMap(([key]) => (["id", "label", "config"].includes(key) ? [] : key));
  return { id: stringOf(node.get("id")), label: stringOf(node.get("label")), config: node.get("config"), extras };
}

/** A program, a service or a module. */
function targetOf(id: string, config: SourceNode | null): Readonly<Record<string, unknown>> | null {
  if (id.startsWith("exec:")) return { command: [...id.slice("exec:".length).trim().split(/\s+/), "{{input}}"] };
  const file = /^(?:file:\/\/|python:|golang:|ruby:)?(.+\.(?:[cm]?[jt]s|py|rb|go))(?::\w+)?$/.exec(id)?.[1];
  if (file !== undefined) {
    const path = file.startsWith(".") || file.startsWith("/") ? file : `./${file}`;
    return /\.[cm]?[jt]s$/.test(file) ? { module: path } : { command: [runnerOf(file), path] };
  }
  const url = /^https?:\/\//.test(id)
    ? id
    : id === "http" || id === "https"
      ? stringOf(config?.get("url") ?? null)
      : null;
  return url === null ? null : { url: url.replaceAll(/\{\{.*?\}\}/g, "") };
}

/** What a person has to change in an agent that was written for promptfoo. */
function toAdapt(target: Readonly<Record<string, unknown>>): string {
  if ("module" in target) return "promptfoo calls callApi of a class: export a function of the message instead";
  if ("command" in target) return "promptfoo calls call_api: read the message from stdin, and print the answer";
  return "set body and response of the service";
}

const runnerOf = (file: string): string => (file.endsWith(".py") ? "python3" : file.endsWith(".rb") ? "ruby" : "go");

/** Keys of a config that say how promptfoo calls, and change nothing in a request. */
const ofPromptfoo = new Set(["apiKey", "apiKeyEnvar", "tools", "showThinking", "organization"]);

function paramsOf(config: SourceNode | null) {
  const params: Record<string, unknown> = {};
  const left: string[] = [];
  const tools: DeclaredTool[] = [];
  for (const [key, { value }] of config?.entries() ?? []) {
    const name = sameParams.has(key) ? key : renamedParams[key];
    const isPlain = !isRecord(value) && value !== null;
    if (name !== undefined && isPlain) params[name] = value;
    else if (!ofPromptfoo.has(key)) left.push(key);
    else if (key === "tools" && Array.isArray(value)) tools.push(...value.flatMap(toolOf));
    else left.push(key);
  }
  return { params, left, tools };
}

/** A simulated tool for a declared one. */
function toolOf(declared: unknown): DeclaredTool[] {
  const tool = isRecord(declared) ? (isRecord(declared["function"]) ? declared["function"] : declared) : {};
  const { name, description, parameters, input_schema } = tool;
  if (typeof name !== "string" || !/^[\w-]{1,64}$/.test(name)) return [];
  const schema = parameters ?? input_schema;
  return [
    {
      name,
      ...(typeof description === "string" ? { description } : {}),
      ...(isRecord(schema) ? { parameters: schema } : {}),
      default: { return: {} },
    },
  ];
}
