import { attemptSync } from "../../errors/boundary.js";
import { messageOf } from "../../errors/message-of.js";
import type { ModuleScope, RunAction } from "../../modules/module-action.js";
import { moduleFailure, runUserCode, type ModuleFailure } from "../../modules/module-failure.js";
import { success, type Result } from "../../result.js";
import type { JsonValue } from "../../values/json.js";
import { toJsonValue } from "../../values/to-json.js";
import type { ListedTool } from "../tool-lists.js";
import type { DefinedTool, ToolContext } from "./define-tool.js";
import type { EmittedEvent, PickedTools, ToolCallInput } from "./module-tool-actions.js";
import { pickTools } from "./pick-tools.js";

/** Says, inside the worker, what the tools of an export are. */
export const listModuleTools: RunAction<PickedTools, readonly ListedTool[]> = async ({ name }, scope) => {
  const picked = await pickFrom(scope, name);
  if (!picked.success) return picked;
  return runUserCode(() => picked.data.map(toListed));
};

/** Runs a call of a tool inside the worker. An error thrown by the tool is passed on unchanged: the model receives it. */
export const runModuleTool: RunAction<ToolCallInput, JsonValue> = async ({ name, tool: called, args }, scope) => {
  const picked = await pickFrom(scope, name);
  if (!picked.success) return picked;
  const tool = picked.data.find((one) => one.name === called);
  if (tool === undefined) return success({ ok: false, error: `The tool "${called}" is gone` });
  const context: ToolContext = {
    signal: scope.signal,
    emit: (event, data) => {
      const emitted: EmittedEvent = { name: event, data: toJsonValue(data) };
      scope.notify(emitted);
    },
  };
  const returned = await runUserCode(() => tool.exec(args, context));
  if (!returned.success) return returned;
  const value = attemptSync(() => toJsonValue(returned.data), messageOf);
  if (value.success) return value;
  return moduleFailure("threw", `What the tool returned cannot be written as JSON: ${value.error}`);
};

async function pickFrom(
  { load }: ModuleScope,
  name: string | null,
): Promise<Result<readonly DefinedTool[], ModuleFailure>> {
  const loaded = await load();
  if (!loaded.success) return moduleFailure("missing", loaded.error.message, loaded.error.cause);
  const picked = attemptSync(() => pickTools(loaded.data, name), messageOf);
  if (!picked.success) return moduleFailure("unfit", `cannot be read: ${picked.error}`);
  return picked.data.success ? picked.data : moduleFailure("unfit", picked.data.error);
}

/** A copy, because what a module says of its tools may change and hold more than data. */
function toListed({ name, description, input_schema, attributes: { readonly, noEffect } }: DefinedTool): ListedTool {
  const parameters = structuredClone(input_schema);
  const listed: ListedTool = { name, parameters, attributes: { readonly, no_effect: noEffect } };
  return description === undefined ? listed : { ...listed, description };
}
