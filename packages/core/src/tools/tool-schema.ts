import * as z from "../values/deferred-zod.js";
import { deadlineSchema } from "../schema-parts/duration-schema.js";
import { excludes, needsOneOf } from "../schema-parts/key-rules.js";
import { reportTo } from "../errors/schema-problem.js";
import { strictObject } from "../schema-parts/strict-object.js";
import { toolErrorTypes } from "../transcript/tool-failure.js";
import { isRecord, type JsonObject } from "../values/json.js";
import { parameterForms, readParameters } from "./param-definition.js";
import { simulatedDefaultSchema, simulatedResponseSchema } from "./simulated/simulated-tool-schema.js";
import { commandToolKeys } from "./command/command-tool-schema.js";
import { builtinToolKeys, toBuiltinTool } from "./builtin/builtin-tool-schema.js";
import { httpToolKeys } from "./http/http-tool-schema.js";
import { moduleToolKeys, parseModuleSpecifier } from "./module/module-tool-schema.js";
import { fallbackSchema } from "./fallback-schema.js";
import { adviceSchema } from "./recommendations-schema.js";
import type { RealToolSettings, ToolConfig } from "./tool-config.js";

const attributesSchema = strictObject({
  readonly: z.boolean().default(false).describe("The tool changes nothing"),
  no_effect: z.boolean().default(false).describe("The tool may run in parallel with others, and may be run again"),
});

/** A tool's own `recommendations`: a list for every error type, or lists by type. */
const ownRecommendationsSchema = z.union([
  adviceSchema.transform((advice) => Object.fromEntries(toolErrorTypes.map((type) => [type, advice]))),
  z.partialRecord(z.enum(toolErrorTypes), adviceSchema.describe("Advice for errors of this type")),
]);

const simulatedToolKeys = {
  responses: z
    .array(simulatedResponseSchema)
    .optional()
    .describe("Answers tried in order; the first that matches the arguments is used"),
  default: simulatedDefaultSchema.optional().describe("The answer when no response matches"),
};

const sharedKeys = {
  name: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{1,128}$/, { error: '"name" of a tool may hold letters, digits, _ . and - only' })
    .optional()
    .describe("Name of the tool, as the model calls it; a tool of a module may have its own")
    .meta({ examples: ["lookup_order"] }),
  description: z.string().optional().describe("What the tool does, as the model reads it"),
  prompt: z
    .string()
    .min(1)
    .optional()
    .describe("Instructions for using the tool, which follow its description as the model reads it")
    .meta({ examples: ["Look the order up before you cancel it."] }),
  parameters: z
    .custom<JsonObject>(isRecord, {
      error: '"parameters" must be an object: names with types, or a JSON Schema',
    })
    .transform((written, context): JsonObject => {
      const read = readParameters(written);
      if (!read.success) reportTo(context, read.error);
      return read.success ? read.data : z.NEVER;
    })
    .optional()
    .describe(
      "Arguments: names with types, such as order_id: string, or a JSON Schema; calls that break it are rejected",
    )
    .meta({
      ...parameterForms,
      examples: [{ order_id: "string", amount: { type: "number", minimum: 0 }, note: "string?" }],
    }),
  result_schema: z
    .custom<JsonObject>(isRecord, {
      error: '"result_schema" must be an object: the JSON Schema of the result',
    })
    .optional()
    .describe(
      "JSON Schema of what a successful call returns; an answer in the config that breaks it is a fixture error, one of a real tool a runtime error",
    ),
  attributes: attributesSchema.optional().describe("What may be done with the tool without harm"),
  recommendations: ownRecommendationsSchema.optional().describe("Advice put into this tool's errors"),
  timeout: deadlineSchema.optional().describe("How long a call may take; default is timeouts.tool"),
  fallback: fallbackSchema
    .optional()
    .describe("What answers when the real tool is down; a simulated tool has none")
    .meta({ examples: [{ return: { status: "unknown" } }, { last_value: true, return: null }] }),
};

type Kind = ToolConfig["kind"];

const kinds: readonly Kind[] = ["module", "command", "http", "builtin", "simulated"];

/** The keys that stand for one kind each; the first makes a tool that kind, the others go with it. */
const keysByKind: Readonly<Record<Kind, readonly string[]>> = {
  module: ["module"],
  command: Object.keys(commandToolKeys),
  http: Object.keys(httpToolKeys),
  builtin: Object.keys(builtinToolKeys),
  simulated: ["responses", "default"],
};

/** What the key of each kind excludes, for editors: the keys of the others, of two that mark their kind the second. */
function foreignKeys(): Record<string, readonly string[]> {
  const marks = kinds.flatMap((kind, place) => {
    const [mark = ""] = keysByKind[kind];
    const others = kinds.flatMap((other, at) => (at === place ? [] : keysByKind[other].slice(at < place ? 1 : 0)));
    return kind === "simulated" ? [] : [[mark, others] as const];
  });
  return { ...Object.fromEntries(marks), responses: ["fallback"], default: ["fallback"] };
}

/** One entry of `tools:`. Which kind of tool it is follows from its keys. */
export const toolSchema = strictObject({
  ...sharedKeys,
  ...simulatedToolKeys,
  ...moduleToolKeys,
  ...commandToolKeys,
  ...httpToolKeys,
  ...builtinToolKeys,
})
  .meta({
    allOf: [needsOneOf({}, "name", "module", "builtin")],
    dependencies: excludes(foreignKeys()),
  })
  .transform((written, context): ToolConfig => {
    const kind = decideKind(written, context);
    if (kind === null) return z.NEVER;
    const { name } = written;
    if (kind === "module") return toModuleTool(written, context);
    if (kind === "builtin") return toBuiltinTool(written, settingsOf(written), context);
    if (name === undefined) {
      context.addIssue({
        code: "custom",
        message: '"name" is missing; expected a string\nThe model calls the tool by it',
        path: ["name"],
      });
      return z.NEVER;
    }
    const settings: RealToolSettings = {
      name,
      parameters: { type: "object", properties: {} },
      attributes: { readonly: false, no_effect: false },
      recommendations: {},
      timeoutMs: null,
      ...settingsOf(written),
    };
    const { command, cwd = ".", env = {}, url, method = "POST", headers = {}, body, response_path } = written;
    if (kind === "command" && command !== undefined) return { kind, ...settings, command, cwd, env };
    if (kind === "http" && url !== undefined) {
      const responsePath = response_path ?? null;
      return { kind, ...settings, url, method, headers, responsePath, ...(body === undefined ? {} : { body }) };
    }
    if (settings.fallback !== undefined) {
      const message =
        '"fallback" is for real tools, but this tool is simulated\nWrite its answers under responses and default, or add module, command or url';
      context.addIssue({ code: "custom", message, path: ["fallback"], params: { atKey: true } });
    }
    return { kind: "simulated", ...settings, responses: written.responses ?? [], default: written.default ?? null };
  });

const nouns: Readonly<Record<Kind, string>> = {
  module: "a tool of a module",
  command: "a command",
  http: "an HTTP service",
  builtin: "a built-in tool",
  simulated: "a simulated tool",
};

type WrittenTool = z.output<z.ZodObject<typeof sharedKeys & typeof simulatedToolKeys & typeof moduleToolKeys>>;

/** What the entry says of the tool itself, without what it leaves open. */
function settingsOf(written: WrittenTool): Partial<Omit<RealToolSettings, "name">> {
  const {
    description,
    prompt,
    parameters,
    result_schema: resultSchema,
    attributes,
    recommendations,
    timeout,
    fallback,
  } = written;
  return {
    ...(description === undefined ? {} : { description }),
    ...(prompt === undefined ? {} : { prompt }),
    ...(parameters === undefined ? {} : { parameters }),
    ...(resultSchema === undefined ? {} : { resultSchema }),
    ...(attributes === undefined ? {} : { attributes }),
    ...(recommendations === undefined ? {} : { recommendations }),
    ...(timeout === undefined ? {} : { timeoutMs: timeout }),
    ...(fallback === undefined ? {} : { fallback }),
  };
}

function toModuleTool(written: WrittenTool, context: z.RefinementCtx): ToolConfig {
  for (const key of ["description", "prompt", "parameters", "result_schema"] as const) {
    if (written[key] === undefined || written.name !== undefined) continue;
    const message = `"${key}" would hold for every tool of the module\nAdd the name of the one tool that is meant`;
    context.addIssue({ code: "custom", message, path: [key], params: { atKey: true } });
  }
  const { fallback } = written;
  if (
    written.name === undefined &&
    fallback !== undefined &&
    !(fallback.responses.length === 0 && fallback.default === null)
  ) {
    const message =
      '"fallback" would give one answer for every tool of the module\nAdd the name of the one tool that is meant, or use last_value: true alone';
    context.addIssue({ code: "custom", message, path: ["fallback"], params: { atKey: true } });
  }
  return {
    kind: "module",
    ...parseModuleSpecifier(written.module ?? ""),
    name: written.name ?? null,
    overrides: settingsOf(written),
  };
}

/** The kind of tool that the keys of an entry make; null where they contradict one another, which is reported. */
function decideKind(written: Readonly<Record<string, unknown>>, context: z.RefinementCtx): Kind | null {
  const has = (key: string | undefined): boolean => key !== undefined && written[key] !== undefined;
  const marked = kinds.filter((kind) => (kind === "simulated" ? keysByKind[kind].some(has) : has(keysByKind[kind][0])));
  const kind = marked[0] ?? "simulated";
  let isValid = true;
  for (const other of kinds) {
    if (other === kind) continue;
    for (const key of keysByKind[other].filter(has)) {
      isValid = false;
      context.addIssue({
        code: "custom",
        message: describe(kind, other, key, marked),
        path: [key],
        params: { atKey: true },
      });
    }
  }
  return isValid ? kind : null;
}

function describe(kind: Kind, other: Kind, key: string, marked: readonly Kind[]): string {
  const mark = marked.length === 0 ? undefined : keysByKind[kind][0];
  if (mark === undefined) {
    return `"${key}" belongs to ${nouns[other]}, which needs "${keysByKind[other][0] ?? ""}"\nAdd it, or remove "${key}"`;
  }
  return `"${key}" belongs to ${nouns[other]}, but "${mark}" makes this ${nouns[kind]}\nKeep the keys of one kind, or write two tools`;
}
