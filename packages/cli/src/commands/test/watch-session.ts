import { columnsOf } from "../../terminal/columns.js";
import type { Key } from "../../terminal/keys.js";
import { FileWatcher } from "./file-watcher.js";
import { keyHelp, namesOfFiles, renderPrompt } from "./render-prompt.js";
import { notPassed, SessionRounds, type RoundSettings } from "./session-rounds.js";

/** Changes within this time are one: editors write several files, and some write one file twice. */
const debounceMs = 200;

export interface SessionSettings extends Omit<RoundSettings, "watchPlaces"> {
  /** Calls another command on the same configs. */
  call(words: readonly string[]): Promise<number>;
}

type Happening = { kind: "changed" } | { kind: "key"; key: Key } | { kind: "quit" };

interface Question {
  text: string;
  onYes(): Promise<void>;
}

/** A session of watch mode: waits for changed files and for keys, and runs rounds. */
export class WatchSession {
  readonly #settings: SessionSettings;
  readonly #files: FileWatcher;
  readonly #rounds: SessionRounds;
  readonly #happened: Happening[] = [];
  #wake: () => void = () => {};
  #cancelDebounce: () => void = () => {};
  /** The filter that is being typed; null while none is. */
  #typed: string | null = null;
  #question: Question | null = null;
  #isSkipped = false;
  #isOver = false;

  constructor(settings: SessionSettings) {
    this.#settings = settings;
    const { environment, screen, messages } = settings;
    this.#files = new FileWatcher({
      root: environment.cwd,
      onChange: (path) => this.#onFile(path),
      onProblem: (folder, reason) => {
        const title = `Cannot watch ${folder}: ${reason}`;
        void screen.print(messages.remark({ title, fix: "Press Enter to look for changes" }));
      },
    });
    this.#rounds = new SessionRounds({ ...settings, watchPlaces: (places) => this.#files.update(places) });
  }

  /** Resolves with the exit code when somebody quits. */
  async run(): Promise<number> {
    const { environment } = this.#settings;
    const { signal } = environment.core;
    const quit = (): void => this.#quit();
    signal?.addEventListener("abort", quit, { once: true });
    const forgetInterrupt = environment.onInterrupt((asked) => asked === "SIGINT" && this.#rounds.stop());
    const forgetKeys = environment.keys?.listen((key) => this.#onKey(key));
    const problem = await this.#rounds.look("changed");
    const isNowhere = problem?.code === "CONFIG_NOT_FOUND";
    if (!isNowhere) await this.#loop();
    this.#cancelDebounce();
    this.#files.close();
    forgetKeys?.();
    forgetInterrupt();
    signal?.removeEventListener("abort", quit);
    return isNowhere ? 1 : 0;
  }

  async #loop(): Promise<void> {
    if (!this.#isOver) await this.#rounds.runDue("first round");
    while (!this.#isOver) {
      this.#show();
      const happening = await this.#next();
      await this.#settings.screen.hide();
      if (happening.kind === "changed") await this.#onChanged();
      if (happening.kind === "key") await this.#act(happening.key);
    }
  }

  #onFile(path: string): void {
    this.#rounds.noteChange(path);
    this.#cancelDebounce();
    this.#cancelDebounce = this.#settings.environment.clock.after(debounceMs, () => this.#push({ kind: "changed" }));
  }

  #onKey(key: Key): void {
    const isQuit = (key.name === "q" && this.#typed === null) || (key.ctrl && key.name === "d");
    if (isQuit) this.#quit();
    // A key that is pressed while a report is on its way was meant for the one before.
    else if (!this.#rounds.isRunning) this.#push({ kind: "key", key });
  }

  #quit(): void {
    this.#isOver = true;
    this.#rounds.stop();
    this.#push({ kind: "quit" });
  }

  #push(happening: Happening): void {
    this.#happened.push(happening);
    this.#wake();
  }

  async #next(): Promise<Happening> {
    for (;;) {
      const happening = this.#happened.shift();
      if (happening !== undefined) return happening;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async #onChanged(): Promise<void> {
    this.#isSkipped = false;
    const why = namesOfFiles([...this.#rounds.changed]);
    await this.#rounds.look("changed");
    await this.#rounds.runDue(why);
  }

  async #act(key: Key): Promise<void> {
    if (this.#typed !== null) return this.#type(key, this.#typed);
    if (this.#question !== null) return this.#answer(key, this.#question);
    const { name } = key;
    if (/^[1-9]$/.test(name)) return this.#callOnLast(["show", name, "--run"]);
    const action = this.#actions.get(name);
    if (action !== undefined) await action();
  }

  readonly #actions: ReadonlyMap<string, () => Promise<void> | void> = new Map<string, () => Promise<void> | void>([
    ["return", () => this.#enter()],
    ["space", () => this.#rounds.pay({ trialsEach: 1 })],
    ["escape", () => this.#skip()],
    ["f", () => this.#toggleFailed()],
    ["t", () => void (this.#typed = this.#rounds.text ?? "")],
    ["c", () => this.#filter(() => Object.assign(this.#rounds, { text: null, failed: null }))],
    ["e", () => this.#runErrored()],
    ["a", () => this.#lookAgain("all")],
    ["o", () => this.#callOnLast(["open"])],
    ["b", () => this.#askForBaseline()],
    ["?", () => this.#settings.screen.print(`${keyHelp.join("\n")}\n`)],
  ]);

  async #lookAgain(again: "changed" | "all" = "changed"): Promise<void> {
    this.#isSkipped = false;
    await this.#rounds.look(again);
  }

  async #filter(change: () => void): Promise<void> {
    change();
    await this.#lookAgain();
  }

  async #toggleFailed(): Promise<void> {
    const { last, failed } = this.#rounds;
    const isOn = failed === null && last !== null && notPassed(last).length > 0;
    if (failed === null && !isOn) return this.#settings.screen.print("No case failed or errored\n");
    await this.#filter(() => this.#rounds.setOnlyFailed(isOn));
  }

  async #enter(): Promise<void> {
    if (this.#rounds.hasWork && !this.#isSkipped) return this.#rounds.pay();
    this.#rounds.expectChanges();
    await this.#lookAgain();
    await this.#rounds.runDue("looked for changes");
  }

  async #skip(): Promise<void> {
    if (this.#rounds.again !== "changed") await this.#rounds.look("changed");
    this.#isSkipped = true;
  }

  async #runErrored(): Promise<void> {
    await this.#rounds.look("errored");
    if (this.#rounds.hasWork) return this.#rounds.pay();
    await this.#settings.screen.print("No case is errored\n");
  }

  async #type(key: Key, typed: string): Promise<void> {
    if (key.name === "escape") this.#typed = null;
    else if (key.name === "backspace") this.#typed = withoutLast(typed);
    else if (key.name !== "return") this.#typed = typed + key.text;
    else {
      this.#typed = null;
      const { text } = this.#rounds;
      this.#rounds.text = typed.trim() === "" ? null : typed.trim();
      this.#isSkipped = false;
      if ((await this.#rounds.look("changed")) === null) return;
      // A pattern that is none must not look like a config that is none.
      this.#rounds.text = text;
      await this.#rounds.look("changed");
    }
  }

  async #answer({ name }: Key, { onYes }: Question): Promise<void> {
    if (!["return", "y", "escape", "n"].includes(name)) return;
    this.#question = null;
    if (name === "return" || name === "y") await onYes();
  }

  async #askForBaseline(): Promise<void> {
    const { last } = this.#rounds;
    if (last === null) return this.#settings.screen.print(nothingRan);
    const failing = notPassed(last).length;
    const including = failing === 0 ? "" : `, including ${failing} that did not pass`;
    const text = `Save the results of the last round as baselines${including}?`;
    this.#question = { text, onYes: () => this.#callOnLast(["baseline", "set", "--run"]) };
  }

  /** Calls a command on the run of the last round. */
  async #callOnLast(words: readonly string[]): Promise<void> {
    const { last } = this.#rounds;
    if (last === null) return this.#settings.screen.print(nothingRan);
    await this.#settings.call([...words, last.run.id]);
  }

  #show(): void {
    const { screen, environment, limitUsd, spend } = this.#settings;
    const { outlook, again, changed, text, failed, spentUsd } = this.#rounds;
    const state = {
      outlook,
      again,
      text,
      spentUsd,
      limitUsd,
      files: [...changed],
      onlyFailed: failed !== null,
      isSkipped: this.#isSkipped,
      typed: this.#typed,
      question: this.#question?.text ?? null,
      hasKeys: environment.keys !== null,
      isFrugal: spend === "never",
    };
    screen.show(renderPrompt(state, columnsOf(environment, environment.stderr)));
  }
}

const nothingRan = "Nothing has run in this session yet\n";

/** Without the last character as people see it. */
function withoutLast(text: string): string {
  const last = [...new Intl.Segmenter().segment(text)].at(-1);
  return text.slice(0, last?.index ?? 0);
}
