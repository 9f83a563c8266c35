import { createRequire } from "node:module";
import type { Ajv, Options, FuncKeywordDefinition, ValidateFunction } from "ajv";
import type { DefinedFormats } from "ajv-formats/dist/formats.js";
import { compileRegex } from "../matchers/safe-regex.js";
import { canonicalJson } from "../values/canonical-json.js";
import type { JsonObject } from "../values/json.js";

/** `uniqueItems` in the time that sorting takes; that of ajv compares each item with each. */
const uniqueItems = {
  keyword: "uniqueItems",
  type: "array",
  schemaType: "boolean",
  compile: (isWanted: boolean) => {
    const validate: ReturnType<NonNullable<FuncKeywordDefinition["compile"]>> = (items: readonly unknown[]) => {
      const pair = isWanted ? lastEqualPair(items) : null;
      if (pair === null) return true;
      const [j, i] = pair;
      const message = `must NOT have duplicate items (items ## ${j} and ${i} are identical)`;
      validate.errors = [{ keyword: "uniqueItems", message, params: { i, j } }];
      return false;
    };
    return validate;
  },
} satisfies FuncKeywordDefinition;

export type Draft = "draft-07" | "2019-09" | "2020-12";

interface AjvModule {
  default: new (options: Options) => Ajv;
}

// ajv is CommonJS and takes about as long to load as the rest of the core: it is loaded when a schema is first used.
// The bundle has it in its own file, which these calls load.
// Only the file name determines the type of a module.
const require: (name: string) => AjvModule = createRequire(import.meta.url);
const requireFormats: (name: string) => { fullFormats: DefinedFormats } = createRequire(import.meta.url);

const loadDraft: Readonly<Record<Draft, () => AjvModule>> = {
  "draft-07": () => require("ajv"),
  "2019-09": () => require("ajv/dist/2019.js"),
  "2020-12": () => require("ajv/dist/2020.js"),
};
const loadFormats = () => requireFormats("ajv-formats/dist/formats.js");

/** An instance keeps all that it has compiled, so that so many schemas share one at most. */
const mostInOne = 20;

/**
 * Compiles with an instance that other schemas use too, and that knows no meta-schema: each instance takes as long as a
 * schema of ten properties. Only for a schema that is obviously valid and has neither `$id` nor `$ref`.
 */
export class SharedAjv {
  readonly #byDraft = new Map<Draft, { ajv: Ajv; left: number }>();

  compile(draft: Draft, schema: JsonObject): ValidateFunction {
    let open = this.#byDraft.get(draft);
    if (open === undefined || open.left === 0) {
      open = { ajv: createAjv(draft, { meta: false }), left: mostInOne };
      this.#byDraft.set(draft, open);
    }
    open.left -= 1;
    return open.ajv.compile(schema);
  }
}

/** A new ajv. An instance keeps every `$id` that it has seen, and two schemas may use the same one. */
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
    // To make the code of a schema smaller takes as long as to make it, and it rarely checks more than a few values.
    code: { regExp: Object.assign(regexForAjv, { code: "" }), optimize: false },
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

/** The last item that equals an earlier one, after the last such one. Equal data has equal canonical JSON. */
function lastEqualPair(items: readonly unknown[]): readonly [number, number] | null {
  const seen = new Map<string, number>();
  let found: readonly [number, number] | null = null;
  for (const [index, item] of items.entries()) {
    const key = canonicalJson(item);
    const before = seen.get(key);
    if (before !== undefined) found = [before, index];
    seen.set(key, index);
  }
  return found;
}
