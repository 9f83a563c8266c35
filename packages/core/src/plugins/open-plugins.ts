import type { ResolvedConfig } from "../config/resolved-config.js";
import type { RunEventListener } from "../engine/create-event-stream.js";
import type { EnginePorts, TrialStore } from "../engine/ports.js";
import type { RunEventBody, RunEvent } from "../engine/run-event.js";
import type { RunResult } from "../engine/run-result.js";
import type { Diagnostic } from "../errors/error-table.js";
import { success, type Result } from "../result.js";
import type { Clock } from "../values/clock.js";
import type { LoadPlugin } from "./create-plugin-loader.js";
import { createToolHooks } from "./create-tool-hooks.js";
import { createFrozenCopy } from "./frozen-copy.js";
import { loadPlugins } from "./load-plugins.js";
import { createPluginSwitch, openPlugin, type OpenPlugin } from "./open-plugin.js";
import type { ProviderFailedContext, PluginContext } from "./define-plugin.js";

/** After an interruption observers get no longer than this, milliseconds. */
const graceMs = 500;

/** The plugins of a run. Nothing in it throws, rejects or changes a verdict other than by what a tool hook decides. */
export interface RunPlugins {
  /** Null if no plugin observes events. */
  listener: RunEventListener | null;
  toolHooks: EnginePorts["toolHooks"];
  /** The store, with an eye on what comes into it. */
  watchTrials(store: TrialStore): TrialStore;
  /** Lets the observers come to an end and hands them the result; the warnings are what all hooks did wrong. */
  finish(result: RunResult): Promise<readonly Diagnostic[]>;
}

export interface PluginPorts {
  clock: Clock;
  runId: string;
  loadPlugin: LoadPlugin;
  /** Hides secrets in what hooks receive. */
  redact(text: string): string;
  /** Aborts when the user interrupts. */
  signal: AbortSignal | null;
  emit(event: RunEventBody): void;
}

/** Loads the plugins of a config and sets them up. Fails when one cannot be used. */
export async function openPlugins(
  config: Pick<ResolvedConfig, "plugins">,
  ports: PluginPorts,
): Promise<Result<RunPlugins>> {
  const signal = ports.signal ?? new AbortController().signal;
  const loaded = await loadPlugins(config.plugins, { ...ports, signal });
  if (!loaded.success) return loaded;
  const copy = createFrozenCopy(ports.redact);
  const { clock, runId, emit } = ports;
  const over = createPluginSwitch();
  const plugins: OpenPlugin[] = [];
  for (const configured of loaded.data) {
    // They are set up in the order of the config.
    const opened = await openPlugin(configured, { clock, runId, copy, emit, signal: over.signal });
    if (!opened.success) return opened;
    plugins.push(opened.data);
  }
  return success({
    listener: createListener(plugins),
    toolHooks: createToolHooks(plugins, copy),
    watchTrials: (store) => watchTrials(store, plugins),
    async finish(result) {
      const stop = endSoonAfter(ports.signal, clock, over);
      const { trials: _left, ...told } = result;
      await Promise.all(plugins.map((plugin) => plugin.finish(() => ({ result: told }))));
      stop();
      over.abort();
      return plugins.flatMap((plugin) => plugin.complaints.warnings());
    },
  });
}

function createListener(plugins: readonly OpenPlugin[]): RunEventListener | null {
  const listeners: RunEventListener[] = [];
  const ofProviders = plugins.filter((plugin) => plugin.has("providerFailed"));
  const ofTools = plugins.filter((plugin) => plugin.has("toolFailed"));
  if (ofProviders.length > 0) {
    listeners.push(
      watchProviderFailures((failed) => {
        for (const plugin of ofProviders) plugin.observe("providerFailed", () => failed);
      }),
    );
  }
  if (ofTools.length > 0) {
    listeners.push((event) => {
      if (event.type !== "tool:error") return;
      const { suite, caseId, trial, tool, callId, args, failure } = event;
      const told = { suite, caseId, trial, tool, callId, args, failure };
      for (const plugin of ofTools) plugin.observe("toolFailed", () => told);
    });
  }
  if (listeners.length === 0) return null;
  return (event) => {
    for (const listen of listeners) listen(event);
  };
}

function watchTrials(store: TrialStore, plugins: readonly OpenPlugin[]): TrialStore {
  const observing = plugins.filter((plugin) => plugin.has("trialEnded"));
  if (observing.length === 0) return store;
  return {
    append(trial, planned, origin) {
      // Plugins saw the end of a trial of another run in that run.
      if (origin === "carried") return store.append(trial, planned, origin);
      for (const plugin of observing) plugin.observe("trialEnded", () => ({ result: trial }));
      return store.append(trial, planned, origin);
    },
    flush: () => store.flush(),
    read: (caseId) => store.read(caseId),
  };
}

/** Lets go of observers a moment after the user has interrupted; returns how to no longer do so. */
function endSoonAfter(signal: AbortSignal | null, clock: Clock, over: AbortController): () => void {
  if (signal === null) return () => undefined;
  let cancel: () => void = () => undefined;
  const onAbort = (): void => {
    cancel = clock.after(graceMs, () => over.abort());
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  return () => {
    cancel();
    signal.removeEventListener("abort", onAbort);
  };
}

/** What `providerFailed` receives in addition to the context of every hook. */
type ProviderFailure = Omit<ProviderFailedContext, keyof PluginContext>;

interface CallRef {
  caseId: string;
  trial: number;
  turn: number;
  role?: ProviderFailure["role"];
}

/**
 * Reports each failed attempt once it is known whether another one was made: with the next attempt of its call, or at
 * the end of the turn or the trial.
 */
function watchProviderFailures(tell: (failed: ProviderFailure) => void): (event: RunEvent) => void {
  const undecided = new Map<string, Omit<ProviderFailure, "callFailed" | "failedAttempts" | "failedCalls">>();
  const counts = new Map<string, { attempts: number; calls: number }>();

  const decide = (key: string, callFailed: boolean): void => {
    const failed = undecided.get(key);
    if (failed === undefined) return;
    undecided.delete(key);
    const count = counts.get(failed.provider) ?? { attempts: 0, calls: 0 };
    counts.set(failed.provider, count);
    count.attempts += 1;
    if (callFailed) count.calls += 1;
    tell({ ...failed, callFailed, failedAttempts: count.attempts, failedCalls: count.calls });
  };

  return (event) => {
    switch (event.type) {
      case "attempt:start":
        decide(keyOf(event), false);
        break;
      case "turn:end":
        decide(keyOf(event), true);
        break;
      case "trial:end":
        // The calls of simulated users and judges are not turns of the trial.
        for (const [key, { caseId, trial }] of undecided) {
          if (caseId === event.caseId && trial === event.trial) decide(key, true);
        }
        break;
      case "attempt:end": {
        const { suite, caseId, trial, role = "agent", provider, turn, attempt, latencyMs, error } = event;
        // An attempt that was stopped is not a failure of the provider.
        if (error === null || !error.code.startsWith("PROVIDER_")) break;
        undecided.set(keyOf(event), { suite, caseId, trial, role, provider, turn, attempt, latencyMs, error });
        break;
      }
      default:
    }
  };
}

function keyOf({ caseId, trial, turn, role = "agent" }: CallRef): string {
  return `${caseId}\n${trial}\n${role}\n${turn}`;
}
