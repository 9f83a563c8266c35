import { basename } from "node:path";
import { messageOf, attemptSync } from "../../errors/boundary.js";
import { kindlmError } from "../../errors/kindlm-error.js";
import { failure, success, type Failure, type Result } from "../../result.js";
import { isRecord, toJsonValue } from "../../values/json.js";
import { didYouMean } from "../../values/nearest-name.js";
import type { ModuleToolConfig, OpenTool } from "../tool-config.js";
import type { HandlerContext, HandlerOutcome } from "../tool-handler.js";
import type { ListedTool, ToolLists } from "../tool-lists.js";
import type { ToolPorts } from "../tool-ports.js";
import type { DefinedTool, ToolContext } from "./define-tool.js";

type Exec = (args: unknown, ctx: ToolContext) => unknown;

/**
 * Loads the module, once per run, and takes from it what the config names. One whose tools are in `lists` is loaded at
 * the first call of one of them alone. Fails with ENGINE_FIXTURE_ERROR.
 */
export async function openModuleTools(
  config: ModuleToolConfig,
  { loadExport }: Pick<ToolPorts, "loadExport">,
  lists: ToolLists | null,
): Promise<Result<readonly OpenTool[]>> {
  const load = async (): Promise<Result<readonly DefinedTool[]>> => {
    const loaded = await loadExport(config.file, config.exportName);
    if (!loaded.success) return broken(loaded.error.message, loaded.error.cause);
    const picked = pick(loaded.data, config);
    return picked.success ? picked : broken(picked.error);
  };
  const source = `module ${basename(config.file)}#${config.exportName}${config.name === null ? "" : ` ${config.name}`}`;
  const recalled = lists === null ? success(null) : await lists.recall(source);
  if (!recalled.success) return recalled;
  if (recalled.data !== null) {
    return success(
      recalled.data.map((listed) => toOpenTool({ ...listed, exec: loadedLate(listed.name, load) }, config)),
    );
  }
  const loaded = await load();
  if (!loaded.success) return loaded;
  lists?.keep(source, loaded.data.map(toListed));
  return success(loaded.data.map((tool) => toOpenTool({ ...toListed(tool), exec: tool.exec.bind(tool) }, config)));
}

function toListed({ name, description, input_schema: parameters, attributes }: DefinedTool): ListedTool {
  const { readonly, noEffect } = attributes;
  const listed: ListedTool = { name, parameters, attributes: { readonly, no_effect: noEffect } };
  return description === undefined ? listed : { ...listed, description };
}

/** Runs a tool whose description was known before its module was loaded. */
function loadedLate(name: string, load: () => Promise<Result<readonly DefinedTool[]>>): Exec {
  return async (args, context) => {
    const loaded = await load();
    const tool = loaded.success ? loaded.data.find((one) => one.name === name) : undefined;
    if (tool !== undefined) return tool.exec(args, context);
    return { ok: false, error: loaded.success ? `The tool "${name}" is gone` : loaded.error.message };
  };
}

/** The tools that the export stands for: a list, one tool, or a function that the config names. */
function pick(exported: unknown, config: ModuleToolConfig): Result<readonly DefinedTool[], string> {
  const { name, exportName, file } = config;
  const what = `The export "${exportName}" of ${file}`;
  if (isExec(exported)) {
    if (name === null) return failure(`${what} is a function: give the tool a name in the config, or use defineTool`);
    return success([fromFunction(name, exported)]);
  }
  const list: readonly unknown[] = Array.isArray(exported) ? exported : [exported];
  const stray = list.find((tool) => !isDefinedTool(tool));
  if (isRecord(stray) && isExec(stray["exec"]) && stray["input_schema"] === undefined) {
    return failure(`${what} does not say what it takes: give it params or input_schema, and make it with defineTool`);
  }
  if (!list.every(isDefinedTool)) return failure(`${what} is no tool: make it with defineTool or defineTools`);
  if (name === null) return success(list);
  if (!Array.isArray(exported)) return success(list.map((tool) => ({ ...tool, name })));
  const found = list.find((tool) => tool.name === name);
  if (found !== undefined) return success([found]);
  const names = list.map((tool) => tool.name);
  return failure(`${what} has no tool "${name}". ${didYouMean(name, names) ?? `It has ${names.join(", ") || "none"}`}`);
}

function fromFunction(name: string, exec: Exec): DefinedTool {
  const attributes = { readonly: false, noEffect: false };
  return { name, input_schema: { type: "object", properties: {} }, attributes, exec };
}

function toOpenTool({ exec, ...listed }: ListedTool & { exec: Exec }, { overrides }: ModuleToolConfig): OpenTool {
  return {
    kind: "open",
    ...listed,
    recommendations: {},
    timeoutMs: null,
    ...overrides,
    createHandler: () => ({ execute: (args, context) => execute(exec, args, context) }),
  };
}

/** A throw of the tool goes on as it is: the runtime tells the model of it. */
async function execute(exec: Exec, args: unknown, { signal, emit }: HandlerContext): Promise<HandlerOutcome> {
  // A copy, so that the records keep what the model asked for, whatever the tool does to its arguments.
  const returned = await exec(toJsonValue(args ?? {}), { signal, emit });
  const value = attemptSync(() => toJsonValue(returned), messageOf);
  if (value.success) return { ok: true, value: value.data };
  const message = `What the tool returned can not be written as JSON: ${value.error}`;
  return { ok: false, failure: { errorType: "runtime", message } };
}

function isExec(value: unknown): value is Exec {
  return typeof value === "function";
}

/** Checked by its form, because a project may have a copy of KindLM beside the one that runs. */
function isDefinedTool(value: unknown): value is DefinedTool {
  return (
    isRecord(value) &&
    typeof value["name"] === "string" &&
    isRecord(value["input_schema"]) &&
    isRecord(value["attributes"]) &&
    isExec(value["exec"])
  );
}

function broken(message: string, cause?: unknown): Failure<ReturnType<typeof kindlmError<"ENGINE_FIXTURE_ERROR">>> {
  return failure(kindlmError("ENGINE_FIXTURE_ERROR", message, cause === undefined ? {} : { cause }));
}
