import { moduleAction } from "../modules/module-action.js";
import type { DeciderName, HookName, ObserverName } from "./hook-name.js";
import type { Decided, HookInput } from "./loaded-plugin.js";

/** Names a plugin of a run: one export may be two, with other options. */
export interface PluginRef {
  plugin: string;
  options: unknown;
}

export interface DescribedPlugin {
  name: string;
  observers: readonly ObserverName[];
  deciders: readonly DeciderName[];
}

/** Says what a plugin is called, and which hooks it has. */
export const describePluginAction = moduleAction<null, DescribedPlugin>("describe plugin");
export const setUpPluginAction = moduleAction<PluginRef, null>("set up plugin");
/** Calls a hook. A plugin that this worker does not know is set up first. The outcome of observers is null. */
export const hookAction = moduleAction<PluginRef & HookInput & { hook: HookName }, Decided | null>("call hook");
