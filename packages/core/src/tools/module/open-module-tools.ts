import { basename } from "node:path";
import { kindlmError } from "../../errors/kindlm-error.js";
import type { ModuleFailure } from "../../modules/module-failure.js";
import type { UserModules } from "../../modules/user-modules.js";
import { failure, success, type Result } from "../../result.js";
import { isRecord } from "../../values/json.js";
import { toJsonValue } from "../../values/to-json.js";
import type { ModuleToolConfig, OpenTool } from "../tool-config.js";
import type { HandlerContext, HandlerOutcome } from "../tool-handler.js";
import type { ListedTool, ToolLists } from "../tool-lists.js";
import type { ToolPorts } from "../tool-ports.js";
import { listToolsAction, runToolAction } from "./module-tool-actions.js";

/**
 * Asks the module, which is loaded once per run, what its tools are. One whose tools are in `lists` is loaded at the
 * first call of one of them alone. Fails with ENGINE_FIXTURE_ERROR.
 */
export async function openModuleTools(
  config: ModuleToolConfig,
  { modules, signal, workspace }: Pick<ToolPorts, "modules" | "signal" | "workspace">,
  lists: ToolLists | null,
): Promise<Result<readonly OpenTool[]>> {
  const { file, exportName, name } = config;
  const source = `module ${basename(file)}#${exportName}${name === null ? "" : ` ${name}`}`;
  const recalled = lists === null ? success(null) : await lists.recall(source);
  if (!recalled.success) return recalled;
  const place = { modules, workspace: workspace?.root ?? null };
  if (recalled.data !== null) return success(recalled.data.map((listed) => toOpenTool(listed, config, place)));
  const listed = await modules.call({
    action: listToolsAction,
    file,
    exportName,
    what: `module ${file}#${exportName}`,
    input: { name },
    signal,
    isRepeatable: true,
  });
  if (!listed.success) return failure(fixtureError(listed.error, config));
  lists?.keep(source, listed.data);
  return success(listed.data.map((tool) => toOpenTool(tool, config, place)));
}

/** Where the tools of a module run, and for which folder. */
interface ModulePlace {
  modules: UserModules;
  workspace: string | null;
}

function toOpenTool(listed: ListedTool, config: ModuleToolConfig, place: ModulePlace): OpenTool {
  return {
    kind: "open",
    ...listed,
    recommendations: {},
    timeoutMs: null,
    ...config.overrides,
    createHandler: () => ({
      execute: (args, context) => execute(listed, args, context, config, place),
      whenLate() {
        const blocker = place.modules.blockedBy(whatOf(listed.name, config));
        return blocker === null
          ? null
          : broken(listed.name, config, `waited for the ${blocker}, which kept its worker busy`);
      },
    }),
  };
}

/** Nothing that follows would mean anything: whether the call took effect is not known, or it was never made. */
function broken(tool: string, config: ModuleToolConfig, what: string): HandlerOutcome {
  const message = `The ${whatOf(tool, config)} ${what}`;
  const brokenBy = kindlmError("ENGINE_FIXTURE_ERROR", message);
  return { ok: false, failure: { errorType: "runtime", message }, broken: true, brokenBy };
}

function whatOf(tool: string, { file, exportName }: ModuleToolConfig): string {
  return `tool ${tool} of ${file}#${exportName}`;
}

async function execute(
  { name: tool, attributes }: ListedTool,
  args: unknown,
  { signal, emit }: HandlerContext,
  config: ModuleToolConfig,
  { modules, workspace }: ModulePlace,
): Promise<HandlerOutcome> {
  const { file, exportName, name } = config;
  const ran = await modules.call({
    action: runToolAction,
    file,
    exportName,
    what: whatOf(tool, config),
    input: { name, tool, args: toJsonValue(args ?? {}), workspace },
    signal,
    isRepeatable: attributes.no_effect,
    onNotify: (event) => {
      if (!isRecord(event)) return;
      const { name: emitted, data, at } = event;
      emit(String(emitted), data, typeof at === "number" ? at : undefined);
    },
  });
  if (ran.success) return { ok: true, value: ran.data };
  const { how, message } = ran.error;
  if (how === "threw") return { ok: false, failure: { errorType: "runtime", message } };
  if (how === "missing" || how === "unfit") {
    return { ok: false, failure: { errorType: "logical", message: fixtureError(ran.error, config).message } };
  }
  return broken(tool, config, message);
}

function fixtureError({ how, message, cause }: ModuleFailure, { file, exportName }: ModuleToolConfig) {
  const text = how === "missing" ? message : `The export "${exportName}" of ${file} ${message}`;
  return kindlmError("ENGINE_FIXTURE_ERROR", text, cause === undefined ? {} : { cause });
}
