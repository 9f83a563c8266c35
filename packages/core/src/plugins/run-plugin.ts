import type { ModuleScope, RunAction } from "../modules/module-action.js";
import { moduleFailure, type ModuleFailure, runUserCode } from "../modules/module-failure.js";
import { success, type Result, failure } from "../result.js";
import { type HookName, deciderNames, hookNames, observerNames } from "./hook-name.js";
import type { Decided, HookInput, LoadedPlugin, RunHook } from "./loaded-plugin.js";
import type { DescribedPlugin, PluginRef } from "./plugin-actions.js";
import { attemptSync } from "../errors/boundary.js";
import { messageOf } from "../errors/message-of.js";
import { deepFreeze } from "../values/deep-freeze.js";
import { isRecord } from "../values/json.js";
import { didYouMean } from "../values/nearest-name.js";
import { readPostToolUse, readPreToolUse } from "./read-decision.js";

/** The plugins of a worker, each set up once. Configs in different folders may share the worker. */
export interface PluginKeeper {
  describe: RunAction<null, DescribedPlugin>;
  setUp: RunAction<PluginRef, null>;
  callHook: RunAction<PluginRef & HookInput & { hook: HookName }, Decided | null>;
}

export function createPluginKeeper(): PluginKeeper {
  const ready = new Map<string, Promise<Result<LoadedPlugin, ModuleFailure>>>();

  const setUpOnce = ({ plugin, options }: PluginRef, scope: ModuleScope) => {
    const key = `${plugin} ${scope.place}`;
    const known = ready.get(key);
    if (known !== undefined) return known;
    const settingUp = load(scope).then(async (loaded) => {
      if (!loaded.success) return loaded;
      const done = await loaded.data.setUp(options, scope.signal);
      return done.success ? loaded : done;
    });
    ready.set(key, settingUp);
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

type Hook = (...args: readonly unknown[]) => unknown;

/** A plugin of a module, of which no more is known than that its hooks can be called. */
interface WrittenPlugin {
  name: string;
  setup: Hook | null;
  hooks: ReadonlyMap<HookName, Hook>;
}

/** The export as a plugin, or the reason why it is not one. Checked by its form: a project may have its own KindLM. */
export function pluginOf(exported: unknown): Result<LoadedPlugin, string> {
  const read = attemptSync(() => readPlugin(exported), messageOf);
  if (!read.success) return failure(`cannot be read: ${read.error}`);
  return read.data.success ? success(toLoaded(read.data.data)) : read.data;
}

function toLoaded({ name, setup, hooks }: WrittenPlugin): LoadedPlugin {
  let own: { options: unknown; state: unknown } = { options: null, state: undefined };
  const calling = (hook: Hook, { given, ctx }: HookInput, signal: AbortSignal): unknown =>
    hook(...deepFreeze(given), Object.freeze({ ...deepFreeze(ctx), ...own, signal }));
  const runs = <Name extends HookName, T>(names: readonly Name[], run: (hook: Hook, name: Name) => RunHook<T>) =>
    new Map(
      names.flatMap((hookName) => {
        const hook = hooks.get(hookName);
        return hook === undefined ? [] : [[hookName, run(hook, hookName)] as const];
      }),
    );
  return {
    name,
    observers: runs(observerNames, (hook) => async (input, signal) => {
      const observed = await runUserCode(() => calling(hook, input, signal));
      // What an observer returns is of no interest.
      return observed.success ? success(null) : observed;
    }),
    deciders: runs(deciderNames, (hook, hookName) => async (input, signal) => {
      const read = (answer: unknown) =>
        hookName === "preToolUse" ? readPreToolUse(answer) : readPostToolUse(answer, input.given[1]);
      return runUserCode(async () => read(await calling(hook, input, signal)));
    }),
    async setUp(options) {
      const frozen = deepFreeze(options);
      const made = await runUserCode(() => (setup === null ? undefined : setup(frozen)));
      if (!made.success) return made;
      own = { options: frozen, state: made.data };
      return success(null);
    },
    blockedBy: () => null,
  };
}

function readPlugin(exported: unknown): Result<WrittenPlugin, string> {
  if (typeof exported === "function") return failure("is a function, not a plugin");
  if (!isRecord(exported)) return failure("is not a plugin");
  const name = exported["name"];
  if (typeof name !== "string" || name.trim() === "") return failure("is not a plugin: it has no name");
  const hooks = new Map<HookName, Hook>();
  for (const hook of hookNames) {
    const found = exported[hook];
    if (found === undefined) continue;
    if (!isHook(found)) return failure(`is not a plugin: its ${hook} is not a function`);
    hooks.set(hook, found.bind(exported));
  }
  const known = ["setup", ...hookNames];
  const unknown = Object.keys(exported).find((key) => isHook(exported[key]) && !known.includes(key));
  if (unknown !== undefined) {
    return failure(`has an unknown hook "${unknown}". ${didYouMean(unknown, known) ?? `Hooks: ${known.join(", ")}`}`);
  }
  const setup = exported["setup"];
  if (setup !== undefined && !isHook(setup)) return failure("is not a plugin: its setup is not a function");
  if (hooks.size === 0) return failure(`has no hook, so it does nothing. Hooks: ${hookNames.join(", ")}`);
  return success({ name, setup: setup === undefined ? null : setup.bind(exported), hooks });
}

function isHook(value: unknown): value is Hook {
  return typeof value === "function";
}
