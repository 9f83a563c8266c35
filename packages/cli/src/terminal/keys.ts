import { attemptSync, messageOf } from "@kindlm/core/program";
import type { Readable } from "node:stream";

/** A key that was pressed, by the name that Node.js has for it: `t`, `return`, `escape`, `space`, `backspace`, `up`. */
export interface Key {
  name: string;
  /** What it types; empty for keys that type nothing. */
  text: string;
  ctrl: boolean;
}

/** A terminal that people type into. */
export interface Keyboard {
  readonly stream: Readable & { setRawMode(isRaw: boolean): unknown };
  /** Whether this process may read from it. */
  isInForeground(): Promise<boolean>;
  /** Does what the terminal does at Ctrl-C, Ctrl-\ and Ctrl-Z while nobody reads keys. */
  signal(name: KeySignal): void;
}

/** Calls both around the time in which the process is stopped. Returns the function that ends this. */
export type OnStop = (before: () => void, after: () => void) => () => void;

type KeySignal = "SIGINT" | "SIGQUIT" | "SIGTSTP";

/** By what the keys type. */
const signals = new Map<string | undefined, KeySignal>([
  ["\u0003", "SIGINT"],
  ["\u001c", "SIGQUIT"],
  ["\u001a", "SIGTSTP"],
]);

interface PressedKey {
  sequence?: string;
  name?: string;
  ctrl?: boolean;
  meta?: boolean;
}

/**
 * Reads keys without waiting for Enter, for as many listeners as there are. Keys that signal still do. While the process
 * is stopped, or in the background, the terminal is left alone: reading it there would stop the process.
 */
export class Keys {
  readonly #keyboard: Keyboard;
  readonly #onStop: OnStop;
  readonly #listeners = new Set<(key: Key) => void>();
  #forget: (() => void) | null = null;
  #isReading = false;

  constructor(keyboard: Keyboard, onStop: OnStop) {
    this.#keyboard = keyboard;
    this.#onStop = onStop;
  }

  /** Calls `onKey` for every key, until the returned function is called. */
  listen(onKey: (key: Key) => void): () => void {
    // One function may listen twice.
    const listener = (key: Key): void => onKey(key);
    this.#listeners.add(listener);
    this.#forget ??= this.#onStop(this.#release, () => void this.#acquire());
    void this.#acquire();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#forget?.();
      this.#forget = null;
      this.#release();
    };
  }

  async #acquire(): Promise<void> {
    const { emitKeypressEvents } = await import("node:readline");
    const mayRead = await this.#keyboard.isInForeground();
    if (!mayRead || this.#isReading || this.#listeners.size === 0) return;
    const { stream } = this.#keyboard;
    // A terminal that is gone has no mode.
    const opened = attemptSync(() => stream.setRawMode(true), messageOf);
    if (!opened.success) return;
    this.#isReading = true;
    emitKeypressEvents(stream);
    stream.on("keypress", this.#press).on("error", this.#release);
    stream.resume();
  }

  readonly #release = (): void => {
    if (!this.#isReading) return;
    this.#isReading = false;
    const { stream } = this.#keyboard;
    stream.off("keypress", this.#press);
    attemptSync(() => stream.setRawMode(false), messageOf);
    stream.pause();
  };

  readonly #press = (typed: string | undefined, key: PressedKey): void => {
    const signal = signals.get(key.sequence);
    if (signal !== undefined) return this.#keyboard.signal(signal);
    const { ctrl = false, meta = false } = key;
    const text = typed !== undefined && !ctrl && !meta && /^\P{Cc}+$/u.test(typed) ? typed : "";
    for (const listener of this.#listeners) listener({ name: key.name ?? text, text, ctrl });
  };
}
