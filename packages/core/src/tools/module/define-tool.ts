import { isRecord, type JsonObject } from "../../values/json.js";
import { readAttributes } from "./read-attributes.js";
import { paramsToSchema, type ArgsOf, type ParamDefinitions, type ParamDefinition } from "../param-definition.js";
import { toJsonValue } from "../../values/to-json.js";

/** The world as a tool of one's own sees it during a call. */
export interface ToolContext {
  /** Aborts at the tool's deadline and when the run is stopped. */
  readonly signal: AbortSignal;
  /** Absolute path of the folder of the trial; null without a workspace. */
  readonly workspace: string | null;
  /**
   * Records an event of the call; `event` assertions read it. `data` is copied as JSON immediately: what JSON cannot carry
   * throws a TypeError. After the end of the call it does nothing.
   */
  emit(name: string, data?: unknown): void;
}

/** What may be done with a tool without harm. The last three are older words of the KODE SDK. */
export interface WrittenAttributes {
  /** Changes nothing. */
  readonly?: boolean;
  /** May run in parallel with others, and again. */
  noEffect?: boolean;
  /** `read` means `readonly`. */
  access?: string;
  /** `false` means `readonly`. */
  mutates?: boolean;
  /** `true` means `noEffect`. */
  safe?: boolean;
}

interface ToolText {
  /** As the model calls it: letters, digits, _ . and -. */
  name: string;
  /** What the tool does, as the model reads it. */
  description?: string;
  /** How to use it: follows the description as the model reads it. */
  prompt?: string;
  attributes?: WrittenAttributes;
}

/** A tool with short parameter definitions. */
export interface ParamsTool<Params extends ParamDefinitions> extends ToolText {
  params: Params;
  input_schema?: never;
  /**
   * Runs one call. The arguments are valid, and defaults are filled in. What it returns is the result; `{ ok: false,
   * error }` is a `logical` tool error, a throw a `runtime` one.
   */
  exec(args: ArgsOf<Params>, ctx: ToolContext): unknown;
}

/** A tool with its own JSON Schema; `Args` is the caller's type for what that schema allows. */
export interface SchemaTool<Args> extends ToolText {
  /** JSON Schema of the arguments, used as it stands. */
  input_schema: Readonly<Record<string, unknown>>;
  params?: never;
  /** As for a tool with `params`, but no default is filled in. */
  exec(args: Args, ctx: ToolContext): unknown;
}

/** A tool that `module:` of a config can name. */
export interface DefinedTool {
  readonly name: string;
  readonly description?: string;
  /** How to use it: follows the description as the model reads it. */
  readonly prompt?: string;
  /** JSON Schema of the arguments. */
  readonly input_schema: JsonObject;
  readonly attributes: { readonly: boolean; noEffect: boolean };
  /** Takes arguments that are valid by the schema. */
  exec(args: unknown, ctx: ToolContext): unknown;
}

/**
 * Declares a tool for `{ module: ./tools.ts#name }`.
 *
 * The types of `args` follow from `params`: `required: false` makes a parameter optional, a `default` is filled in where
 * the model gave nothing. For a pattern, a length and all else that JSON Schema can say, use `input_schema`.
 */
export function defineTool<const Params extends ParamDefinitions>(tool: ParamsTool<Params>): DefinedTool;
export function defineTool<Args = Record<string, unknown>>(tool: SchemaTool<Args>): DefinedTool;
export function defineTool(tool: ParamsTool<ParamDefinitions> | SchemaTool<unknown>): DefinedTool {
  const { name, description, prompt, attributes } = tool;
  return {
    name,
    ...(description === undefined ? {} : { description }),
    ...(prompt === undefined ? {} : { prompt }),
    attributes: readAttributes(attributes),
    ...callable(tool),
  };
}

/** Declares several tools at once, for `{ module: ./tools.ts#names }`; each as {@link defineTool} takes it. */
export function defineTools<const Params extends readonly ParamDefinitions[]>(tools: {
  readonly [Index in keyof Params]: ParamsTool<Params[Index]>;
}): readonly DefinedTool[] {
  return tools.map((tool: ParamsTool<ParamDefinitions>) => defineTool(tool));
}

function callable(
  tool: ParamsTool<ParamDefinitions> | SchemaTool<unknown>,
): Pick<DefinedTool, "input_schema" | "exec"> {
  if (tool.params === undefined) {
    return {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- compiled before the first call, which shows it
      input_schema: tool.input_schema as JsonObject,
      exec: (args, ctx) => tool.exec(args, ctx),
    };
  }
  const { params } = tool;
  return {
    input_schema: paramsToSchema(params),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- valid by the schema made of the same parameters
    exec: (args, ctx) => tool.exec(fillDefaults(params, args) as ArgsOf<ParamDefinitions>, ctx),
  };
}

/** A copy of the arguments with the defaults of the parameters wherever none was given. */
function fillDefaults(params: ParamDefinitions, args: unknown): unknown {
  if (!isRecord(args)) return args;
  const filled: Record<string, unknown> = { ...args };
  for (const [name, param] of Object.entries(params)) {
    if (!Object.hasOwn(args, name)) {
      if (param.default !== undefined) filled[name] = toJsonValue(param.default);
    } else filled[name] = fillMember(param, args[name]);
  }
  return filled;
}

function fillMember(param: ParamDefinition, value: unknown): unknown {
  if (param.type === "object") return fillDefaults(param.properties, value);
  if (param.type !== "array" || !Array.isArray(value)) return value;
  return value.map((item: unknown) => fillMember(param.items, item));
}
