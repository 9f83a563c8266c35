import { moduleAction } from "../modules/module-action.js";
import type { DeciderName, HookName, ObserverName } from "./hook-name.js";
import type { Decided, HookInput } from "./loaded-plugin.js";

/** Names a plug-in of a run: one export may be two, with other options. */
export interface PluginRef {
  plugin: string;
  options: unknown;
}

export interface DescribedPlugin {
  name: string;
  observers: readonly ObserverName[];
  deciders: readonly DeciderName[];
}

/** Says what a plug-in is called, and which hooks it has. */
export const describePluginAction = moduleAction<null, DescribedPlugin>("describe plug-in");
export const setUpPluginAction = moduleAction<PluginRef, null>("set up plug-in");
/** Calls a hook. A plug-in that this worker does not know is set up first. The outcome of observers is null. */
export const hookAction = moduleAction<PluginRef & HookInput & { hook: HookName }, Decided | null>("call hook");
