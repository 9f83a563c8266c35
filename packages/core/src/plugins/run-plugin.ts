import type { ModuleScope, RunAction } from "../modules/module-action.js";
import { moduleFailure, type ModuleFailure } from "../modules/module-failure.js";
import { success, type Result } from "../result.js";
import type { HookName } from "./hook-name.js";
import type { Decided, HookInput, LoadedPlugin } from "./loaded-plugin.js";
import type { DescribedPlugin, PluginRef } from "./plugin-actions.js";
import { pluginOf } from "./plugin-of.js";

/** The plugins of a worker, each set up once. */
export interface PluginKeeper {
  describe: RunAction<null, DescribedPlugin>;
  setUp: RunAction<PluginRef, null>;
  callHook: RunAction<PluginRef & HookInput & { hook: HookName }, Decided | null>;
}

export function createPluginKeeper(): PluginKeeper {
  const ready = new Map<string, Promise<Result<LoadedPlugin, ModuleFailure>>>();

  const setUpOnce = ({ plugin, options }: PluginRef, scope: ModuleScope) => {
    const known = ready.get(plugin);
    if (known !== undefined) return known;
    const settingUp = load(scope).then(async (loaded) => {
      if (!loaded.success) return loaded;
      const done = await loaded.data.setUp(options, scope.signal);
      return done.success ? loaded : done;
    });
    ready.set(plugin, settingUp);
    return settingUp;
  };

  return {
    async describe(_input, scope) {
      const loaded = await load(scope);
      if (!loaded.success) return loaded;
      const { name, observers, deciders } = loaded.data;
      return success({ name, observers: [...observers.keys()], deciders: [...deciders.keys()] });
    },
    async setUp(ref, scope) {
      const done = await setUpOnce(ref, scope);
      return done.success ? success(null) : done;
    },
    async callHook({ hook, given, ctx, ...ref }, scope) {
      const plugin = await setUpOnce(ref, scope);
      if (!plugin.success) return plugin;
      const { observers, deciders } = plugin.data;
      const input = { given, ctx };
      if (hook === "preToolUse" || hook === "postToolUse") {
        return (await deciders.get(hook)?.(input, scope.signal)) ?? success(null);
      }
      const observed = await observers.get(hook)?.(input, scope.signal);
      return observed === undefined || observed.success ? success(null) : observed;
    },
  };
}

async function load(scope: ModuleScope): Promise<Result<LoadedPlugin, ModuleFailure>> {
  const loaded = await scope.load();
  if (!loaded.success) return moduleFailure("missing", loaded.error.message, loaded.error.cause);
  const plugin = pluginOf(loaded.data);
  return plugin.success ? plugin : moduleFailure("unfit", plugin.error);
}
