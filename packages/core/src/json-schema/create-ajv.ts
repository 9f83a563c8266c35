import { createRequire } from "node:module";
import type { Ajv, Options } from "ajv";
import type { DefinedFormats } from "ajv-formats/dist/formats.js";
import { compileRegex } from "../matchers/safe-regex.js";
import { uniqueItems } from "./unique-items.js";

export type Draft = "draft-07" | "2019-09" | "2020-12";

interface AjvModule {
  default: new (options: Options) => Ajv;
}

// ajv is CommonJS and takes about as long to load as the rest of the core: it is loaded when a schema is first used.
// The bundle has it in its own file, which these calls load.
// Nothing but its name tells the type of a module.
const require: (name: string) => AjvModule = createRequire(import.meta.url);
const requireFormats: (name: string) => { fullFormats: DefinedFormats } = createRequire(import.meta.url);

const loadDraft: Readonly<Record<Draft, () => AjvModule>> = {
  "draft-07": () => require("ajv"),
  "2019-09": () => require("ajv/dist/2019.js"),
  "2020-12": () => require("ajv/dist/2020.js"),
};
const loadFormats = () => requireFormats("ajv-formats/dist/formats.js");

/**
 * A fresh ajv. Each schema gets its own, because an instance keeps every `$id` it has seen, and two schemas may use the
 * same one; the modules are what is slow, not the instance.
 */
export function createAjv(draft: Draft, options: Options = {}): Ajv {
  const { default: AjvOfDraft } = loadDraft[draft]();
  // The plugin's main module would load the keywords formatMinimum and formatMaximum, which no draft has.
  const { fullFormats } = loadFormats();
  const ajv = new AjvOfDraft({
    strict: false,
    allErrors: true,
    verbose: true,
    // The caller has looked at the schema already.
    validateSchema: false,
    logger: false,
    formats: fullFormats,
    code: { regExp: Object.assign(regexForAjv, { code: "" }) },
    ...options,
  });
  return ajv.removeKeyword(uniqueItems.keyword).addKeyword(uniqueItems);
}

/** A pattern is meant for the `u` flag, yet many are written with escapes that only its absence allows. */
function regexForAjv(pattern: string, flags: string): { test(text: string): boolean } {
  const compiled = compileRegex(pattern, flags);
  if (compiled.success) return compiled.data;
  const relaxed = compileRegex(pattern, flags.replace("u", ""));
  if (relaxed.success) return relaxed.data;
  throw new SyntaxError(`the pattern "${pattern}" does not compile: ${compiled.error}`);
}
