import type { ModuleScope } from "../../modules/module-action.js";
import { moduleFailure, runUserCode, type ModuleFailure } from "../../modules/module-failure.js";
import { success, type Result } from "../../result.js";
import { isRecord } from "../../values/json.js";
import { readObject } from "../source/read-object.js";
import type { ConfigOutcome } from "./config-action.js";
import type { ConfigContext } from "./define-config.js";

/** Reads, inside the worker, the default export of a config module. `processEnv` of the worker gets the `.env` files too. */
export async function evaluateConfig(
  context: ConfigContext,
  scope: ModuleScope,
  processEnv: Record<string, string | undefined>,
): Promise<Result<ConfigOutcome, ModuleFailure>> {
  // The worker has its own copy of the environment, and ends with the load.
  Object.assign(processEnv, context.env);
  const loaded = await scope.load();
  if (!loaded.success) return moduleFailure("missing", loaded.error.message, loaded.error.cause);
  const exported = defaultOf(loaded.data);
  if (exported === undefined) return success({ exported: isRecord(loaded.data) ? Object.keys(loaded.data) : [] });
  return runUserCode(async () => {
    const { written, problems } = readObject(await resolveConfig(exported, context));
    return { value: written.value, problems };
  });
}

/** A module that was compiled to CommonJS has its default export inside of another. */
function defaultOf(loaded: unknown): unknown {
  const exported = isRecord(loaded) ? loaded["default"] : undefined;
  return isRecord(exported) && exported["__esModule"] === true ? exported["default"] : exported;
}

async function resolveConfig(exported: unknown, context: ConfigContext): Promise<unknown> {
  const config = await computed(exported, Object.freeze(context));
  return withEach(config, "suites", (suite) =>
    withEach(suite, "tests", (test) => withEach(test, "rows", (row) => row)),
  );
}

/** The object with the list under `key` computed, and each item of it. */
async function withEach(written: unknown, key: string, resolveItem: (item: unknown) => unknown): Promise<unknown> {
  const owner = await computed(written);
  if (!isRecord(owner) || !Object.hasOwn(owner, key)) return owner;
  const items = await computed(owner[key]);
  const resolved = Array.isArray(items) ? await Promise.all(items.map(resolveItem)) : items;
  return { ...owner, [key]: resolved };
}

async function computed(value: unknown, ...given: readonly unknown[]): Promise<unknown> {
  return typeof value === "function" ? Reflect.apply(value, undefined, given) : value;
}
