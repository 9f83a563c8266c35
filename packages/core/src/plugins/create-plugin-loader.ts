import type { ResolvedPlugin } from "../config/resolved-plugin.js";
import type { ModuleFailure } from "../modules/module-failure.js";
import type { UserModules } from "../modules/user-modules.js";
import { success, type Result } from "../result.js";
import type { Decided, LoadedPlugin } from "./loaded-plugin.js";
import { describePluginAction, hookAction, setUpPluginAction } from "./plugin-actions.js";

/** Loads the plugin of an entry. */
export type LoadPlugin = (
  entry: Pick<ResolvedPlugin, "file" | "exportName">,
  signal: AbortSignal,
) => Promise<Result<LoadedPlugin, ModuleFailure>>;

/** Loads plugins into the worker of the user's modules. */
export function createPluginLoader(modules: UserModules): LoadPlugin {
  let loaded = 0;
  return async ({ file, exportName }, signal) => {
    const place = { file, exportName, what: `plugin ${file}#${exportName}`, isRepeatable: false };
    const described = await modules.call({ ...place, action: describePluginAction, input: null, signal });
    if (!described.success) return described;
    const { name, observers, deciders } = described.data;
    loaded += 1;
    // What `setup` is given, in case that a new worker needs it again.
    let ref: { plugin: string; options: unknown } = { plugin: `${loaded}`, options: null };
    const call = (
      hook: (typeof observers | typeof deciders)[number],
      input: Parameters<RunAny>[0],
      stop: AbortSignal,
    ) => modules.call({ ...place, action: hookAction, input: { ...ref, ...input, hook }, signal: stop });
    return success({
      name,
      observers: new Map(observers.map((hook) => [hook, (input, stop) => call(hook, input, stop)])),
      deciders: new Map(
        deciders.map((hook) => [
          hook,
          async (input, stop) => {
            const called = await call(hook, input, stop);
            return called.success ? success<Decided>(called.data ?? success(null)) : called;
          },
        ]),
      ),
      setUp(options, stop) {
        ref = { ...ref, options };
        return modules.call({ ...place, action: setUpPluginAction, input: ref, signal: stop });
      },
      blockedBy: () => modules.blockedBy(place.what),
    });
  };
}

type RunAny = NonNullable<ReturnType<LoadedPlugin["observers"]["get"]>>;
