import { attemptSync, messageOf } from "../errors/boundary.js";
import { failure, success, type Result } from "../result.js";
import { isRecord } from "../values/json.js";
import { didYouMean } from "../values/nearest-name.js";
import { hookNames, type HookName } from "./hook-name.js";

type Hook = (...args: readonly unknown[]) => unknown;

/** A plug-in of a module, of which no more is known than that its hooks can be called. */
export interface LoadedPlugin {
  name: string;
  setup: Hook | null;
  hooks: ReadonlyMap<HookName, Hook>;
}

/** The export as a plug-in, or why it is none. Checked by its form: a project may have a KindLM of its own. */
export function pluginOf(exported: unknown): Result<LoadedPlugin, string> {
  const read = attemptSync(() => readPlugin(exported), messageOf);
  return read.success ? read.data : failure(`can not be read: ${read.error}`);
}

function readPlugin(exported: unknown): Result<LoadedPlugin, string> {
  if (typeof exported === "function") return failure("is a function, not a plug-in");
  if (!isRecord(exported)) return failure("is no plug-in");
  const name = exported["name"];
  if (typeof name !== "string" || name.trim() === "") return failure("is no plug-in: it has no name");
  const hooks = new Map<HookName, Hook>();
  for (const hook of hookNames) {
    const found = exported[hook];
    if (found === undefined) continue;
    if (!isHook(found)) return failure(`is no plug-in: its ${hook} is no function`);
    hooks.set(hook, found.bind(exported));
  }
  const known = ["setup", ...hookNames];
  const unknown = Object.keys(exported).find((key) => isHook(exported[key]) && !known.includes(key));
  if (unknown !== undefined) {
    return failure(
      `has a hook "${unknown}" that nothing calls. ${didYouMean(unknown, known) ?? `Hooks: ${known.join(", ")}`}`,
    );
  }
  const setup = exported["setup"];
  if (setup !== undefined && !isHook(setup)) return failure("is no plug-in: its setup is no function");
  if (hooks.size === 0) return failure(`has no hook, so that it does nothing. Hooks: ${hookNames.join(", ")}`);
  return success({ name, setup: setup === undefined ? null : setup.bind(exported), hooks });
}

function isHook(value: unknown): value is Hook {
  return typeof value === "function";
}
