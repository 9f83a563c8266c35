import type { KindlmError } from "../../errors/kindlm-error.js";
import type { JsonObject } from "../../values/json.js";
import { paramsToSchema, type ArgsOf, type ParamDefinitions } from "../param-definition.js";
import { brokenFixture } from "../render-answer.js";
import type { HandlerContext, HandlerOutcome } from "../tool-handler.js";
import type { ToolAttributes } from "../tool-runtime.js";
import type { ToolPorts } from "../tool-ports.js";
import type { BuiltinSession, Desk } from "./builtin-session.js";

/** A tool that KindLM brings. */
export interface BuiltinTool {
  name: string;
  /** What it does and how it is used safely, as the model reads it. */
  description: string;
  parameters: JsonObject;
  attributes: ToolAttributes;
  /** It works in the folder of the trial. */
  needsWorkspace: boolean;
  /** It has its own settings in the config, so no glob selects it. */
  needsName?: true;
  /** It has no deadline but that of the trial, unless the config gives it one. */
  isUntimed?: true;
  /** What follows its description, if that depends on the test; empty for nothing. */
  describe?(ports: ToolPorts): string;
  /** Takes arguments that are valid. What goes wrong through the model's fault is {@link refuse}. */
  run(args: unknown, session: BuiltinSession, context: HandlerContext): Promise<HandlerOutcome>;
}

interface Definition<Params extends ParamDefinitions, Shared> extends Pick<
  BuiltinTool,
  "name" | "description" | "needsName" | "describe"
> {
  /** Short, as in a config. */
  params: Params;
  attributes?: Partial<ToolAttributes>;
  run(args: ArgsOf<Params>, shared: Shared, context: HandlerContext): Promise<HandlerOutcome>;
}

/** Declares a built-in tool that needs no folder. */
export function defineBuiltin<const Params extends ParamDefinitions>(
  definition: Definition<Params, BuiltinSession>,
): BuiltinTool {
  return { ...definition, ...declared(definition), needsWorkspace: false };
}

/** Declares a built-in tool that works in the folder of the trial. */
export function defineWorkspaceTool<const Params extends ParamDefinitions>(
  definition: Definition<Params, Desk>,
): BuiltinTool {
  return {
    ...definition,
    ...declared(definition),
    needsWorkspace: true,
    async run(args: ArgsOf<Params>, { desk }: BuiltinSession, context: HandlerContext) {
      if (desk === null) return brokenFixture(`The tool "${definition.name}" needs a workspace`);
      const outcome = await definition.run(args, desk, context);
      const { brokenLimit } = desk.workspace.commands;
      return brokenLimit === null ? outcome : endTrial(brokenLimit);
    },
  };
}

function declared({
  params,
  attributes,
}: Pick<Definition<ParamDefinitions, never>, "params" | "attributes">): Pick<BuiltinTool, "parameters" | "attributes"> {
  return { parameters: paramsToSchema(params), attributes: { readonly: false, no_effect: false, ...attributes } };
}

/** The trial cannot go on. */
function endTrial(error: KindlmError): HandlerOutcome {
  return { ok: false, failure: { errorType: "aborted", message: error.message }, broken: true, brokenBy: error };
}

/** The model called it in a way that cannot work: a `logical` error that says what to do instead. */
export function refuse(message: string): HandlerOutcome {
  return { ok: false, failure: { errorType: "logical", message } };
}
