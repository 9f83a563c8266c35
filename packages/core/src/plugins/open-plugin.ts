import { setMaxListeners } from "node:events";
import { errorOf } from "../config/source/finding.js";
import type { ModuleFailure } from "../modules/module-failure.js";
import type { RunEventBody } from "../engine/run-event.js";
import { failure, success, type Result } from "../result.js";
import type { Clock } from "../values/clock.js";
import { renderDuration } from "../values/duration.js";
import { createComplaints, type Complaints } from "./create-complaints.js";
import { createFrozenCopy, type CopyForHook } from "./frozen-copy.js";
import type { DeciderName, HookName, ObserverName } from "./hook-name.js";
import { hooksOf, type Decided, type HookInput, type RunHook } from "./loaded-plugin.js";
import type { ConfiguredPlugin } from "./load-plugins.js";
import type { HookOpinion, HookVerdict } from "./read-decision.js";
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

/** Sets up a plugin of a run. */
export async function openPlugin(configured: ConfiguredPlugin, world: PluginWorld): Promise<Result<OpenPlugin>> {
  const { plugin, entry } = configured;
  const { timeoutMs } = entry;
  // Its options are the plugin's own, secrets included.
  const options = createFrozenCopy((text) => text)(entry.options);
  const { clock, signal } = world;
  const made = await raceHook((own) => plugin.setUp(options, own), { clock, timeoutMs, signal });
  if (made.done && made.value.success) return success(new OpenPlugin(configured, world));
  const what = made.done && !made.value.success ? failureText(made.value.error) : late(timeoutMs);
  return failure(errorOf([entry.findingOf({ message: `Plugin "${plugin.name}": setup ${what}` })]));
}

/** A plugin of a run, set up. Nothing in it throws or rejects. */
export class OpenPlugin {
  readonly name: string;
  readonly complaints: Complaints;
  readonly #plugin: ConfiguredPlugin["plugin"];
  readonly #timeoutMs: number;
  readonly #world: PluginWorld;
  readonly #hooks: ReadonlySet<HookName>;
  readonly #queue: ObserverQueue = createObserverQueue();

  constructor(configured: ConfiguredPlugin, world: PluginWorld) {
    const { plugin, entry } = configured;
    this.name = plugin.name;
    this.complaints = createComplaints(configured, world.emit);
    this.#plugin = plugin;
    this.#timeoutMs = entry.timeoutMs;
    this.#world = world;
    this.#hooks = new Set(hooksOf(plugin));
  }

  has(hook: HookName): boolean {
    return this.#hooks.has(hook);
  }

  /**
   * Asks a decider, raced against its deadline and the signal. Null when it was not called, did not answer, failed or
   * decided nothing; what went wrong is complained about.
   */
  async decide(name: DeciderName, input: HookInput, signal: AbortSignal): Promise<HookVerdict | HookOpinion | null> {
    const answered = await this.#call<Decided>(name, this.#plugin.deciders.get(name), input, signal);
    if (answered === null) return null;
    const verdict = answered.answer;
    if (verdict.success) return verdict.data;
    this.complaints.add(name, verdict.error, false);
    return null;
  }

  /** Calls an observer when those before it are through. */
  observe(hook: ObserverName, details: () => object): void {
    if (!this.#hooks.has(hook) || this.complaints.isOff(hook)) return;
    this.#queue.add(() => this.#observeNow(hook, details));
  }

  /** Waits for what is queued, as long as one call of each observer may take, and reports the end of the run. */
  async finish(details: () => object): Promise<void> {
    const { clock, signal } = this.#world;
    // Slightly longer than the limit of each call, so hanging ones are reported as such.
    const calls = [...this.#plugin.observers.keys()].filter((hook) => hook !== "runEnded").length;
    await raceHook(() => this.#queue.idle(), { clock, signal, timeoutMs: calls * this.#timeoutMs + 100 });
    const left = this.#queue.close();
    if (left > 0) this.complaints.dropped(left);
    await this.#observeNow("runEnded", details);
  }

  async #observeNow(hook: ObserverName, details: () => object): Promise<void> {
    const { copy, signal } = this.#world;
    await this.#call(hook, this.#plugin.observers.get(hook), { given: [], ctx: copy(details()) }, signal);
  }

  async #call<T>(
    name: HookName,
    hook: RunHook<T> | undefined,
    { given, ctx }: HookInput,
    signal: AbortSignal,
  ): Promise<{ answer: T } | null> {
    if (hook === undefined || this.complaints.isOff(name)) return null;
    const { clock, runId } = this.#world;
    const timeoutMs = this.#timeoutMs;
    const input = { given, ctx: { ...ctx, runId } };
    const answered = await raceHook((own) => hook(input, own), { clock, timeoutMs, signal });
    if (!answered.done) {
      // One wait for a hook that hangs is enough: it holds up a trial.
      const blocker = answered.because === "timeout" ? this.#plugin.blockedBy() : null;
      if (blocker !== null) {
        this.complaints.add(name, `${late(timeoutMs)}, because the ${blocker} kept the worker busy`, false);
      } else if (answered.because === "timeout") this.complaints.add(name, late(timeoutMs), true);
      return null;
    }
    if (answered.value.success) return { answer: answered.value.data };
    const { error } = answered.value;
    this.complaints.add(name, failureText(error), error.how === "ended");
    return null;
  }
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

/** Calls of the observers of one plugin, one after the other, while the run continues. */
interface ObserverQueue {
  /** The task never rejects. */
  add(task: () => Promise<void>): void;
  /** Resolves when nothing is left to do. */
  idle(): Promise<void>;
  /** Takes and starts nothing more; returns how many had not ended, those that found no room included. */
  close(): number;
}

/** More that wait would take the memory of the run. */
const mostWaiting = 10_000;

export function createObserverQueue(limit = mostWaiting): ObserverQueue {
  let waiting: (() => Promise<void>)[] = [];
  /** The first that has not ended. */
  let head = 0;
  let pumping: Promise<void> | null = null;
  let refused = 0;
  let isClosed = false;

  const pump = async (): Promise<void> => {
    for (let task = waiting[head]; task !== undefined && !isClosed; task = waiting[head]) {
      await task();
      head += 1;
      if (head < 1_000) continue;
      waiting = waiting.slice(head);
      head = 0;
    }
    pumping = null;
  };

  return {
    add(task) {
      if (isClosed) return;
      if (waiting.length - head >= limit) {
        refused += 1;
        return;
      }
      waiting.push(task);
      // The trial that it comes from goes on first.
      pumping ??= Promise.resolve().then(pump);
    },
    async idle() {
      while (pumping !== null) {
        // Until nothing came in meanwhile.
        await pumping;
      }
    },
    close() {
      isClosed = true;
      return waiting.length - head + refused;
    },
  };
}
