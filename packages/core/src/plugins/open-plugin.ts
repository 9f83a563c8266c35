import { setMaxListeners } from "node:events";
import { attempt, messageOf } from "../errors/boundary.js";
import { errorOf } from "../config/source/finding.js";
import { kindlmError } from "../errors/kindlm-error.js";
import type { RunEventBody } from "../engine/run-event.js";
import { failure, success, type Result } from "../result.js";
import type { Clock } from "../values/clock.js";
import { renderDuration } from "../values/duration.js";
import { createComplaints, type Complaints } from "./create-complaints.js";
import { createObserverQueue, type ObserverQueue } from "./create-observer-queue.js";
import type { PluginContext } from "./define-plugin.js";
import { createFrozenCopy, type CopyForHook } from "./frozen-copy.js";
import { observerNames, type HookName, type ObserverName } from "./hook-name.js";
import type { ConfiguredPlugin } from "./load-plugins.js";
import { raceHook } from "./race-hook.js";

/** What the plug-ins of a run share. */
export interface PluginWorld {
  clock: Clock;
  runId: string;
  copy: CopyForHook;
  emit(event: RunEventBody): void;
  /** Aborts when observers are waited for no longer. */
  signal: AbortSignal;
}

/** A plug-in of a run, set up. Nothing in it throws or rejects. */
export interface OpenPlugin {
  readonly name: string;
  has(hook: HookName): boolean;
  /**
   * Calls a hook, raced against its deadline and the signal. Null when it was not called, did not answer or failed,
   * which is complained about.
   */
  call(
    hook: HookName,
    args: (ctx: PluginContext) => readonly unknown[],
    signal: AbortSignal,
  ): Promise<{ answer: unknown } | null>;
  /** Calls an observer when those before it are through. */
  observe(hook: ObserverName, details: () => object): void;
  /** Waits for what is queued, as long as one call of each observer may take, and tells of the end of the run. */
  finish(details: () => object): Promise<void>;
  readonly complaints: Complaints;
}

export async function openPlugin(configured: ConfiguredPlugin, world: PluginWorld): Promise<Result<OpenPlugin>> {
  const { plugin, entry } = configured;
  const { timeoutMs } = entry;
  const { clock } = world;
  // Its options are the plug-in's own, secrets included.
  const options = createFrozenCopy((text) => text)(entry.options);
  const { setup } = plugin;
  const deadline = { clock, timeoutMs, signal: world.signal };
  const made = await attempt(
    () => (setup === null ? { done: true as const, value: undefined } : raceHook(() => setup(options), deadline)),
    (cause) => kindlmError("UNKNOWN_ERROR", `setup threw: ${messageOf(cause)}`, { cause }),
  );
  if (!made.success || !made.data.done) {
    const what = made.success ? `setup ${late(timeoutMs)}` : made.error.message;
    return failure(errorOf([entry.findingOf({ message: `Plug-in "${plugin.name}": ${what}` })]));
  }
  const state = made.data.value;
  const complaints = createComplaints(configured, world.emit);
  const queue: ObserverQueue = createObserverQueue();

  const call: OpenPlugin["call"] = async (name, args, signal) => {
    const hook = plugin.hooks.get(name);
    if (hook === undefined || complaints.isOff(name)) return null;
    const answered = await attempt(
      () =>
        raceHook((own) => hook(...args({ options, state, runId: world.runId, signal: own })), {
          clock,
          timeoutMs,
          signal,
        }),
      (cause) => kindlmError("UNKNOWN_ERROR", messageOf(cause), { cause }),
    );
    if (!answered.success) {
      complaints.add(name, `threw: ${answered.error.message}`, false);
      return null;
    }
    if (answered.data.done) return { answer: answered.data.value };
    // One wait for a hook that hangs is enough: it holds up a trial.
    if (answered.data.because === "timeout") complaints.add(name, late(timeoutMs), true);
    return null;
  };

  const observe = async (hook: ObserverName, details: () => object): Promise<void> => {
    await call(hook, (ctx) => [Object.freeze({ ...ctx, ...world.copy(details()) })], world.signal);
  };

  return success({
    name: plugin.name,
    has: (hook) => plugin.hooks.has(hook),
    call,
    observe(hook, details) {
      if (!plugin.hooks.has(hook) || complaints.isOff(hook)) return;
      queue.add(() => observe(hook, details));
    },
    async finish(details) {
      // A moment more than a call of each may take, so that those that hang are told of as such.
      const hooks = observerNames.filter((hook) => hook !== "runEnded" && plugin.hooks.has(hook)).length;
      await raceHook(() => queue.idle(), { ...deadline, timeoutMs: hooks * timeoutMs + 100 });
      const left = queue.close();
      if (left > 0) complaints.dropped(left);
      await observe("runEnded", details);
    },
    complaints,
  });
}

function late(timeoutMs: number): string {
  return `did not answer within ${renderDuration(timeoutMs)}`;
}

/** A signal that any number of hooks may listen to. */
export function createPluginSwitch(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}
