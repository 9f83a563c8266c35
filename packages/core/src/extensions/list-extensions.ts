import type { RunAction } from "../modules/module-action.js";
import { moduleFailure, runUserCode } from "../modules/module-failure.js";
import { isRecord } from "../values/json.js";
import { toJsonValue } from "../values/to-json.js";
import { extensionMark } from "./extension.js";
import type { FoundExtension } from "./extension-action.js";

/** Lists, inside the worker, the exports of a module that were made by a `define` function. */
export const listExtensions: RunAction<null, readonly FoundExtension[]> = async (_input, scope) => {
  const loaded = await scope.load();
  if (!loaded.success) return moduleFailure("missing", loaded.error.message, loaded.error.cause);
  return runUserCode(() => {
    const exported = isRecord(loaded.data) ? loaded.data : {};
    return Object.entries(exported).flatMap(([exportName, value]) => {
      const isMarkable = typeof value === "function" || isRecord(value);
      const declared: unknown = isMarkable ? Reflect.get(value, extensionMark) : undefined;
      // A copy, because what a module says may change and hold more than data.
      const copy = declared === undefined ? null : toJsonValue(declared);
      return isRecord(copy) ? [{ exportName, declared: copy }] : [];
    });
  });
};
