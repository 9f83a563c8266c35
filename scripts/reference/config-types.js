/**
 * The TypeScript types of a config from its JSON Schema, for those who write one as an object. They have no import, so
 * programs need no other library to compile against them. What a type cannot express, such as "one of these keys" or a
 * range, is left to the validation.
 */

const header = `/**
 * The types of a config that is written as an object. Generated from the config schema; run \`pnpm gen\` to update.
 */

/** Any value that a YAML or JSON file can hold. */
export type ConfigValue =
  string | number | boolean | null | readonly ConfigValue[] | { readonly [key: string]: ConfigValue };

/** Text that is one \`{{placeholder}}\`, which takes the type of the value it is replaced with. */
export type Placeholder = \`{{\${string}}}\`;

/**
 * The assertion types that your extensions register, by their names, each with its options. Add yours:
 * \`declare module "@kindlm/core" { interface RegisteredAssertions { is_polite: { language: "en" | "de" } } }\`
 */
export interface RegisteredAssertions {}

/** The providers that your extensions register, as {@link RegisteredAssertions} has the assertions. */
export interface RegisteredProviders {}

/** The kinds of targets that your extensions register, as {@link RegisteredAssertions} has the assertions. */
export interface RegisteredTargets {}

type RegisteredAssertion<Placeholder> = {
  [Type in keyof RegisteredAssertions]: AssertionKeys & { readonly type: Type } & {
    readonly [Key in keyof RegisteredAssertions[Type]]: RegisteredAssertions[Type][Key] | Placeholder;
  };
}[keyof RegisteredAssertions];

type WithRegisteredProviders<Builtin> = Builtin | {
  [Type in keyof RegisteredProviders]: { readonly type: Type } & RegisteredProviders[Type] &
    Omit<Builtin, "type" | keyof RegisteredProviders[Type]>;
}[keyof RegisteredProviders];

type RegisteredTarget = {
  [Type in keyof RegisteredTargets]: { readonly [Key in Type]: RegisteredTargets[Type] } & {
    readonly id?: string;
    readonly proxy?: boolean | { readonly run_tools: boolean };
  };
}[keyof RegisteredTargets];
`;

/** What extensions add to the value of a key, or to a definition. */
const extended = {
  target: (type) => `${type} | RegisteredTarget`,
  AssertionConfig: (type) => `${type} | RegisteredAssertion<Placeholder>`,
  providers: (type) => type.replace(/(?<=: )\{[^]*\}(?= \}$)/, (entry) => `WithRegisteredProviders<${entry}>`),
};

/** The names of these definitions, which programs may use. */
const named = { suite: "SuiteConfig", assertion: "AssertionConfig", Matcher: "MatcherConfig" };
const isExported = (name) => name === "KindlmConfig" || Object.values(named).includes(name);
const commonKeys = ["not", "id", "weight", "when", "user_turn"];

export function renderConfigTypes({ definitions, ...config }) {
  const types = new ConfigTypes(definitions);
  const parts = Object.keys(definitions)
    .filter((name) => name !== "placeholder" && !isAnyJson(definitions, name))
    .map((name) =>
      isAssertion(name)
        ? types.declareAssertion(typeNameOf(name), definitions[name])
        : types.declare(typeNameOf(name), definitions[name]),
    );
  parts.push(types.declare("KindlmConfig", config));
  const { properties } = definitions.assertion_group_all_of;
  const shared = Object.fromEntries(commonKeys.map((key) => [key, properties[key]]));
  const keys = { type: "object", description: "The keys of every assertion and group.", properties: shared };
  return [header, types.declare("AssertionKeys", keys), ...types.shared, ...parts].join("\n");
}

const isAssertion = (name) => name.startsWith("assertion");

/** `assertion_tool_called` as `ToolCalledAssertion`. */
function typeNameOf(name) {
  const own = /^assertion_(group_)?(.+)$/.exec(name);
  return named[name] ?? (own === null ? pascal(name) : `${pascal(own[2])}${own[1] ? "Group" : "Assertion"}`);
}

const pascal = (name) => name.replaceAll(/(?:^|[_-])(\w)/g, (_all, letter) => letter.toUpperCase());

/** zod numbers each of its schemas of any JSON. */
function isAnyJson(definitions, name) {
  const any = ["__schema0", name].map((other) => JSON.stringify(definitions[other]).replaceAll(`/${other}"`, '/self"'));
  if (!name.startsWith("__schema")) return false;
  if (any[0] !== any[1]) throw new Error(`the definition ${name} is not that of any JSON`);
  return true;
}

/** Writes types; an object that is described at several places is declared once. */
class ConfigTypes {
  #uses;
  #names = new Map();
  #taken = new Set();
  #shared = [];

  constructor(definitions) {
    this.#uses = countObjects(definitions);
  }

  declare(name, schema, { parameters = "", parent = "" } = {}) {
    this.#taken.add(name);
    const type = withExtensions(name, this.#typeOf(schema, { key: name, indent: "", depth: 0 }));
    const visibility = isExported(name) ? "export " : "";
    return type.startsWith("{\n")
      ? `${docOf(schema, "")}${visibility}interface ${name}${parameters}${parent} ${type}\n`
      : `${docOf(schema, "")}${visibility}type ${name}${parameters} = ${type};\n`;
  }

  /** An assertion: the keys that all have are declared once. */
  declareAssertion(name, { properties, ...schema }) {
    const parameters = "<Placeholder = never>";
    if (properties === undefined) return this.declare(name, schema, { parameters });
    const own = Object.entries(properties).filter(([key]) => !commonKeys.includes(key));
    const parent = " extends AssertionKeys";
    return this.declare(name, { ...schema, properties: Object.fromEntries(own) }, { parameters, parent });
  }

  /** The declarations of objects that are described at several places. */
  get shared() {
    return this.#shared;
  }

  #typeOf(schema, context) {
    if (schema.$ref !== undefined) return refer(schema.$ref);
    if (schema.const !== undefined) return JSON.stringify(schema.const);
    if (schema.enum !== undefined) return unionOf(schema.enum.map((value) => JSON.stringify(value)));
    const choices = schema.anyOf ?? schema.oneOf;
    // Choices of required keys alone restrict an object that is described beside them.
    if (choices !== undefined && schema.properties === undefined) {
      return unionOf(choices.map((choice) => this.#typeOf(choice, context)));
    }
    if (schema.allOf !== undefined && schema.properties === undefined)
      return unionOf(schema.allOf.map((part) => this.#typeOf(part, context)));
    if (Array.isArray(schema.type)) return unionOf(schema.type.map((type) => this.#typeOf({ type }, context)));
    return this.#typeOfKind(schema, context);
  }

  #typeOfKind(schema, context) {
    if (schema.type === "integer") return "number";
    if (schema.type === "array") return this.#listOf(schema, context);
    if (schema.type === "object") return this.#objectOf(schema, context);
    return schema.type ?? "unknown";
  }

  #listOf({ items = {}, additionalItems }, context) {
    const inner = { ...context, key: context.key.replace(/(?<!s)s$/, "") };
    if (!Array.isArray(items)) return `readonly ${inParentheses(this.#typeOf(items, inner))}[]`;
    const rest = additionalItems === undefined ? [] : [`...${this.#typeOf(additionalItems, inner)}[]`];
    return `readonly [${[...items.map((item) => this.#typeOf(item, inner)), ...rest].join(", ")}]`;
  }

  #objectOf(schema, context) {
    const { properties, additionalProperties } = schema;
    if (properties === undefined) {
      const values = typeof additionalProperties === "object" ? this.#typeOf(additionalProperties, context) : "unknown";
      return `{ readonly [key: string]: ${values} }`;
    }
    const hash = hashOf(schema);
    if (context.depth > 0 && this.#uses.get(hash) > 1 && Object.keys(properties).length > 1)
      return this.#share(schema, hash, context);
    return this.#bodyOf(schema, context);
  }

  #share(schema, hash, context) {
    const known = this.#names.get(hash);
    if (known !== undefined) return known;
    const kind = Object.values(schema.properties).find((property) => typeof property.const === "string")?.const ?? "";
    const name = this.#freeName(`${pascal(kind)}${pascal(context.key)}Config`);
    this.#names.set(hash, name);
    this.#shared.push(`interface ${name} ${this.#bodyOf(schema, { ...context, depth: 1, indent: "" })}\n`);
    return name;
  }

  #freeName(wanted) {
    let name = wanted;
    for (let number = 2; this.#taken.has(name); number += 1) name = `${wanted}${number}`;
    this.#taken.add(name);
    return name;
  }

  #bodyOf({ properties, required = [], additionalProperties, patternProperties = {} }, context) {
    const indent = `${context.indent}  `;
    const lines = Object.entries(properties).map(([key, schema]) => {
      const type = withExtensions(key, this.#typeOf(schema, { ...context, key, indent, depth: context.depth + 1 }));
      const name = /^[a-z_$][\w$]*$/i.test(key) ? key : JSON.stringify(key);
      return `${docOf(schema, indent)}${indent}readonly ${name}${required.includes(key) ? "" : "?"}: ${type};\n`;
    });
    if (patternProperties["^x-"] !== undefined) {
      lines.push(`${indent}/** Left alone. */\n${indent}readonly [note: \`x-\${string}\`]: unknown;\n`);
    }
    const isOpen = additionalProperties !== undefined && additionalProperties !== false;
    if (isOpen) lines.push(`${indent}readonly [key: string]: unknown;\n`);
    return `{\n${lines.join("")}${context.indent}}`;
  }
}

function withExtensions(name, type) {
  return Object.hasOwn(extended, name) ? extended[name](type) : type;
}

function refer(reference) {
  const name = reference.split("/").at(-1);
  if (name === "placeholder") return "Placeholder";
  if (name.startsWith("__schema")) return "ConfigValue";
  return isAssertion(name) ? `${typeNameOf(name)}<Placeholder>` : typeNameOf(name);
}

const hashOf = ({ description: _description, ...schema }) => JSON.stringify(schema);

function countObjects(definitions) {
  const uses = new Map();
  const visit = (value) => {
    if (typeof value !== "object" || value === null) return;
    if (value.properties !== undefined) uses.set(hashOf(value), (uses.get(hashOf(value)) ?? 0) + 1);
    Object.values(value).forEach(visit);
  };
  visit(definitions);
  return uses;
}

function unionOf(types) {
  return [...new Set(types)].join(" | ");
}

function inParentheses(type) {
  return /[|]| /.test(type) && !type.startsWith("{") ? `(${type})` : type;
}

function docOf({ description }, indent) {
  return description === undefined ? "" : `${indent}/** ${description.replaceAll("*/", "*\\/")} */\n`;
}
