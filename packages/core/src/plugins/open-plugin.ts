import { setMaxListeners } from "node:events";
import { errorOf } from "../config/source/finding.js";
import type { ModuleFailure } from "../modules/module-failure.js";
import type { RunEventBody } from "../engine/run-event.js";
import { failure, success, type Result } from "../result.js";
import type { Clock } from "../values/clock.js";
import { renderDuration } from "../values/duration.js";
import { createComplaints, type Complaints } from "./create-complaints.js";
import { createObserverQueue, type ObserverQueue } from "./create-observer-queue.js";
import { createFrozenCopy, type CopyForHook } from "./frozen-copy.js";
import type { DeciderName, HookName, ObserverName } from "./hook-name.js";
import { hooksOf, type Decided, type HookInput, type RunHook } from "./loaded-plugin.js";
import type { ConfiguredPlugin } from "./load-plugins.js";
import type { HookVerdict } from "./read-decision.js";
import { raceHook } from "./race-hook.js";

/** What the plugins of a run share. */
export interface PluginWorld {
  clock: Clock;
  runId: string;
  copy: CopyForHook;
  emit(event: RunEventBody): void;
  /** Aborts when observers are waited for no longer. */
  signal: AbortSignal;
}

/** A plugin of a run, set up. Nothing in it throws or rejects. */
export interface OpenPlugin {
  readonly name: string;
  has(hook: HookName): boolean;
  /**
   * Asks a decider, raced against its deadline and the signal. Null when it was not called, did not answer, failed or
   * decided nothing; what went wrong is complained about.
   */
  decide(hook: DeciderName, input: HookInput, signal: AbortSignal): Promise<HookVerdict | null>;
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
  const hooks = new Set(hooksOf(plugin));
  // Its options are the plugin's own, secrets included.
  const options = createFrozenCopy((text) => text)(entry.options);
  const deadline = { clock, timeoutMs, signal: world.signal };
  const made = await raceHook((own) => plugin.setUp(options, own), deadline);
  if (!made.done || !made.value.success) {
    const what = made.done && !made.value.success ? failureText(made.value.error) : late(timeoutMs);
    return failure(errorOf([entry.findingOf({ message: `Plugin "${plugin.name}": setup ${what}` })]));
  }
  const complaints = createComplaints(configured, world.emit);
  const queue: ObserverQueue = createObserverQueue();

  const call = async <T>(
    name: HookName,
    hook: RunHook<T> | undefined,
    { given, ctx }: HookInput,
    signal: AbortSignal,
  ): Promise<{ answer: T } | null> => {
    if (hook === undefined || complaints.isOff(name)) return null;
    const input = { given, ctx: { ...ctx, runId: world.runId } };
    const answered = await raceHook((own) => hook(input, own), { clock, timeoutMs, signal });
    if (!answered.done) {
      // One wait for a hook that hangs is enough: it holds up a trial.
      const blocker = answered.because === "timeout" ? plugin.blockedBy() : null;
      if (blocker !== null)
        complaints.add(name, `${late(timeoutMs)}, because the ${blocker} kept the worker busy`, false);
      else if (answered.because === "timeout") complaints.add(name, late(timeoutMs), true);
      return null;
    }
    if (answered.value.success) return { answer: answered.value.data };
    const { error } = answered.value;
    complaints.add(name, failureText(error), error.how === "ended");
    return null;
  };

  const decide: OpenPlugin["decide"] = async (name, input, signal) => {
    const answered = await call<Decided>(name, plugin.deciders.get(name), input, signal);
    if (answered === null) return null;
    const verdict = answered.answer;
    if (verdict.success) return verdict.data;
    complaints.add(name, verdict.error, false);
    return null;
  };

  const observe = async (hook: ObserverName, details: () => object): Promise<void> => {
    await call(hook, plugin.observers.get(hook), { given: [], ctx: world.copy(details()) }, world.signal);
  };

  return success({
    name: plugin.name,
    has: (hook) => hooks.has(hook),
    decide,
    observe(hook, details) {
      if (!hooks.has(hook) || complaints.isOff(hook)) return;
      queue.add(() => observe(hook, details));
    },
    async finish(details) {
      // A moment more than a call of each may take, so that those that hang are told of as such.
      const calls = [...plugin.observers.keys()].filter((hook) => hook !== "runEnded").length;
      await raceHook(() => queue.idle(), { ...deadline, timeoutMs: calls * timeoutMs + 100 });
      const left = queue.close();
      if (left > 0) complaints.dropped(left);
      await observe("runEnded", details);
    },
    complaints,
  });
}

function failureText({ how, message }: ModuleFailure): string {
  return how === "threw" ? `threw: ${message}` : message;
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
