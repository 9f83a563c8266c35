import { attemptSync } from "../../errors/boundary.js";
import { messageOf } from "../../errors/message-of.js";
import type { ModuleScope, RunAction } from "../../modules/module-action.js";
import { moduleFailure, runUserCode, type ModuleFailure } from "../../modules/module-failure.js";
import { success, failure, type Result } from "../../result.js";
import { isRecord, type JsonValue, type JsonObject } from "../../values/json.js";
import { toJsonValue } from "../../values/to-json.js";
import type { ListedTool } from "../tool-lists.js";
import type { DefinedTool, ToolContext } from "./define-tool.js";
import { readAttributes } from "./read-attributes.js";
import type { EmittedEvent, PickedTools, ToolCallInput } from "./module-tool-actions.js";
import { didYouMean } from "../../values/nearest-name.js";

/** Says, inside the worker, what the tools of an export are. */
export const listModuleTools: RunAction<PickedTools, readonly ListedTool[]> = async ({ name }, scope) => {
  const picked = await pickFrom(scope, name);
  if (!picked.success) return picked;
  return runUserCode(() => picked.data.map(toListed));
};

/** Runs a call of a tool inside the worker. An error thrown by the tool is passed on unchanged: the model receives it. */
export const runModuleTool: RunAction<ToolCallInput, JsonValue> = async (
  { name, tool: called, args, workspace },
  scope,
) => {
  const picked = await pickFrom(scope, name);
  if (!picked.success) return picked;
  const tool = picked.data.find((one) => one.name === called);
  if (tool === undefined) return success({ ok: false, error: `The tool "${called}" is gone` });
  const emit = (event: EmittedEvent): void => scope.notify(event);
  const context: ToolContext = {
    signal: scope.signal,
    workspace,
    emit: (event, data) => emit({ name: event, data: toJsonValue(data) }),
    ...createKodeContext(emit),
  };
  const returned = await runUserCode(() => tool.exec(args, context));
  if (!returned.success) return returned;
  const value = attemptSync(() => toJsonValue(returned.data), messageOf);
  if (value.success) return value;
  return moduleFailure("threw", `What the tool returned cannot be written as JSON: ${value.error}`);
};

/** Tools that the `defineTool` of the KODE SDK made emit their events by this part of its context. */
function createKodeContext(emit: (event: EmittedEvent) => void): object {
  const emitMonitor = (event: unknown): void => {
    if (!isRecord(event) || event["type"] !== "tool_custom_event") return;
    const { eventType, data, timestamp } = event;
    const at = typeof timestamp === "number" ? { at: timestamp } : {};
    emit({ name: String(eventType), data: toJsonValue(data), ...at });
  };
  return { agent: { events: { emitMonitor } } };
}

async function pickFrom(
  { load }: ModuleScope,
  name: string | null,
): Promise<Result<readonly DefinedTool[], ModuleFailure>> {
  const loaded = await load();
  if (!loaded.success) return moduleFailure("missing", loaded.error.message, loaded.error.cause);
  const exported = await runUserCode(() => withMcpTools(loaded.data));
  if (!exported.success) return exported;
  const picked = attemptSync(() => pickTools(exported.data, name), messageOf);
  if (!picked.success) return moduleFailure("unfit", `cannot be read: ${picked.error}`);
  return picked.data.success ? picked.data : moduleFailure("unfit", picked.data.error);
}

/** A copy, because what a module says of its tools may change and hold more than data. */
function toListed({ name, description, prompt, input_schema, attributes }: DefinedTool): ListedTool {
  const { readonly, noEffect } = attributes;
  const parameters = structuredClone(input_schema);
  return {
    name,
    parameters,
    attributes: { readonly, no_effect: noEffect },
    ...(description === undefined ? {} : { description }),
    ...(prompt === undefined ? {} : { prompt }),
  };
}

type Exec = (args: unknown, ctx: ToolContext) => unknown;

/**
 * The tools that an export stands for: a list, one tool, or a function that the config names. They are checked by their
 * form, because a project may have its own copy of KindLM, or tools of the KODE SDK.
 */
export function pickTools(exported: unknown, name: string | null): Result<readonly DefinedTool[], string> {
  if (isExec(exported)) {
    if (name === null) return failure("is a function: give the tool a name in the config, or use defineTool");
    return success([fromFunction(name, exported)]);
  }
  const registered = toolsOfRegistry(exported);
  if (registered !== null) return pickTools(registered, name);
  const list: readonly unknown[] = Array.isArray(exported) ? exported : [exported];
  const tools = list.map(toolOf);
  const whole = tools.filter((tool) => tool !== null);
  if (whole.length < tools.length) {
    const stray = list.find((_, index) => tools[index] === null);
    return failure(
      isRecord(stray) && isExec(stray["exec"]) && stray["input_schema"] === undefined
        ? "does not declare its arguments: give it params or input_schema, and create it with defineTool"
        : "is not a tool: create it with defineTool or defineTools",
    );
  }
  if (name === null) return success(whole);
  if (!Array.isArray(exported)) return success(whole.map((tool) => ({ ...tool, name })));
  const found = whole.find((tool) => tool.name === name);
  if (found !== undefined) return success([found]);
  const names = whole.map((tool) => tool.name);
  return failure(`has no tool "${name}". ${didYouMean(name, names) ?? `It has ${names.join(", ") || "none"}`}`);
}

function fromFunction(name: string, exec: Exec): DefinedTool {
  const attributes = { readonly: false, noEffect: false };
  return { name, input_schema: { type: "object", properties: {} }, attributes, exec };
}

/** A tool as `defineTool` makes it, or as the KODE SDK has it; null for anything else. */
function toolOf(value: unknown): DefinedTool | null {
  if (!isRecord(value)) return null;
  const { name, description, prompt, input_schema: parameters, exec } = value;
  if (typeof name !== "string" || !isSchema(parameters) || !isExec(exec)) return null;
  return {
    name,
    ...(isText(description) ? { description } : {}),
    ...(isText(prompt) ? { prompt } : {}),
    input_schema: parameters,
    attributes: readAttributes(value["attributes"] ?? value["metadata"] ?? descriptorOf(value)["metadata"]),
    exec: (args, ctx) => Reflect.apply(exec, value, [args, ctx]),
  };
}

/** What a tool says of itself in the classic interface of KODE. */
function descriptorOf(tool: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { toDescriptor } = tool;
  const described: unknown = typeof toDescriptor === "function" ? Reflect.apply(toDescriptor, tool, []) : null;
  return isRecord(described) ? described : {};
}

/** The tools of a registry, which makes one for each of its names; null for anything else. */
function toolsOfRegistry(value: unknown): readonly unknown[] | null {
  if (!isRecord(value)) return null;
  const { list, create, exec } = value;
  if (typeof list !== "function" || typeof create !== "function" || exec !== undefined) return null;
  const names: unknown = Reflect.apply(list, value, []);
  return Array.isArray(names) ? names.map((id: unknown): unknown => Reflect.apply(create, value, [id])) : null;
}

/** The tools of a registry that loads some of them from MCP servers; anything else as it is. */
async function withMcpTools(exported: unknown): Promise<unknown> {
  const load = isRecord(exported) ? exported["loadMCPTools"] : undefined;
  if (typeof load !== "function") return exported;
  const loaded: unknown = await Reflect.apply(load, exported, []);
  const served: readonly unknown[] = Array.isArray(loaded) ? loaded : [loaded];
  return [...(toolsOfRegistry(exported) ?? []), ...served];
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

function isExec(value: unknown): value is Exec {
  return typeof value === "function";
}

/** Whether it is a valid one is seen when it is compiled. */
function isSchema(value: unknown): value is JsonObject {
  return isRecord(value);
}
