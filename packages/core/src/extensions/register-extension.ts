import type { AssertionDefinition } from "../assertions/define-assertion.js";
import type { ProviderDefinition } from "../providers/define-provider.js";
import { textFormats } from "../redaction/redactor.js";
import { failure, success, type Result } from "../result.js";
import { strictObject } from "../schema-parts/strict-object.js";
import type { FoundExtension } from "./extension-action.js";
import type { ExtensionFamily } from "./extension.js";
import { nameProblem, optionsShape } from "./options-schema.js";
import { registerAssertion } from "./register-assertion.js";
import { registerProvider } from "./register-provider.js";
import type { Registered, RegisteredReporter, RegisteredTarget } from "./registered.js";

/** Names that a member cannot have, because something else in the config, or of the program, has them. */
export interface TakenNames {
  /** The keys that every entry of `providers:` has. */
  providerKeys: ReadonlySet<string>;
  /** The keys of `target:`. */
  targetKeys: ReadonlySet<string>;
  reporters: readonly string[];
}

/** Takes in what modules register, one export at a time. */
export class ExtensionRegistry implements Registered {
  readonly assertions = new Map<string, AssertionDefinition>();
  readonly providers = new Map<string, ProviderDefinition>();
  readonly targets = new Map<string, RegisteredTarget>();
  readonly reporters = new Map<string, RegisteredReporter>();
  readonly #taken: TakenNames;

  constructor(taken: TakenNames) {
    this.#taken = taken;
  }

  /** Returns what is wrong with the export; null if it is registered. */
  add(file: string, found: FoundExtension): string | null {
    const { declared } = found;
    const family = String(declared["family"]);
    const put: Readonly<Record<ExtensionFamily, () => string | null>> = {
      assertion: () => enter(this.assertions, declared["type"], registerAssertion(file, found)),
      provider: () => enter(this.providers, declared["type"], registerProvider(file, found, this.#taken.providerKeys)),
      target: () => enter(this.targets, declared["type"], registerTarget(file, found, this.#taken.targetKeys)),
      reporter: () => enter(this.reporters, declared["type"], registerReporter(file, found, this.#taken.reporters)),
    };
    return isFamily(family, put) ? put[family]() : `this version of KindLM knows no ${family}; update it`;
  }
}

function isFamily<Family extends string>(name: string, families: Readonly<Record<Family, unknown>>): name is Family {
  return Object.hasOwn(families, name);
}

function enter<T>(known: Map<string, T>, name: unknown, made: Result<T, string>): string | null {
  if (!made.success) return made.error;
  if (known.has(String(name))) return `"${String(name)}" is registered twice`;
  known.set(String(name), made.data);
  return null;
}

function registerTarget(
  file: string,
  { exportName, declared }: FoundExtension,
  taken: ReadonlySet<string>,
): Result<RegisteredTarget, string> {
  const { type, options } = declared;
  const problem = nameProblem("type", type);
  if (problem !== null) return failure(problem);
  if (type === "model" || taken.has(String(type))) return failure(`"${String(type)}" is a key of every target`);
  const shape = optionsShape(options, new Set(), "target");
  return shape.success ? success({ file, exportName, options: strictObject(shape.data) }) : shape;
}

function registerReporter(
  file: string,
  { exportName, declared }: FoundExtension,
  taken: readonly string[],
): Result<RegisteredReporter, string> {
  const { type: name, summary, extension, format } = declared;
  if (typeof name !== "string" || !/^[a-z][a-z0-9_-]*$/.test(name)) {
    return failure(
      `its "name" must be lower case letters, digits, - and _, but it is ${JSON.stringify(name) ?? "missing"}`,
    );
  }
  if (taken.includes(name)) return failure(`"${name}" is the name of a built-in reporter`);
  const known = textFormats.find((one) => one === format);
  if (known === undefined) return failure(`its "format" must be ${textFormats.join(", ")}`);
  return success({ file, exportName, name, summary: String(summary), extension: String(extension), format: known });
}
