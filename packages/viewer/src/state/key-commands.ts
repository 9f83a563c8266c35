import { judgesOf } from "../logic/export-labels.js";
import { nextFailure } from "../logic/select-cases.js";
import { isFull, undoLabel, type ReportStore } from "./report-store.js";

interface Command {
  keys: readonly string[];
  /** In place of them, where they are many. */
  shown?: string;
  /** For the help. */
  does: string;
  /** It is about what a server leaves out. */
  isExtra?: true;
  run(store: ReportStore, key: string): void;
}

/** Single keys, which a person can switch off. */
const commands: readonly Command[] = [
  { keys: ["j", "k"], does: "Next or previous case", run: (_, key) => step(key === "j" ? "ArrowDown" : "ArrowUp") },
  {
    keys: ["n", "N"],
    does: "Next or previous failure",
    run: (store, key) => {
      const { index, shown, view } = store;
      const place = nextFailure(index, shown.peek(), store.placeOf(view.peek().case), key === "n" ? 1 : -1);
      if (place === null) store.announce("There is no further failure");
      else store.openCase(place, { isStep: false });
    },
  },
  {
    keys: "123456789".split(""),
    shown: "1–9",
    does: "Trial of this number",
    run: (store, key) => {
      const trials = store.open.peek()?.detail?.trials ?? [];
      if (trials.some(({ trial }) => trial === Number(key))) store.go({ trial: Number(key) }, { isStep: false });
    },
  },
  { keys: ["/"], does: "Filter cases", run: (store) => focusIn(store, "filter") },
  { keys: ["s"], does: "Search transcripts", isExtra: true, run: (store) => focusIn(store, "search") },
  {
    keys: ["e"],
    does: "Collapse or expand the transcript",
    run: (store) => (store.areCollapsed.value = !store.areCollapsed.peek()),
  },
  {
    keys: ["c"],
    does: "Compare, and back",
    isExtra: true,
    run: (store) => store.show(store.view.peek().view === "compare" ? "cases" : "compare"),
  },
  {
    keys: ["p", "f"],
    does: "Label the trial pass or fail",
    isExtra: true,
    run: (store, key) => label(store, key === "p" ? "pass" : "fail"),
  },
  {
    keys: ["u"],
    does: "Undo the last label",
    isExtra: true,
    run: (store) => (isFull(store) ? undoLabel(store) : undefined),
  },
  { keys: ["?"], does: "This help", run: (store) => (store.dialog.value = "help") },
];

/** The commands that a page has. */
export function commandsOf({ extras }: ReportStore): readonly Command[] {
  return commands.filter(({ isExtra }) => extras !== null || isExtra !== true);
}

/** Has the page follow keys. */
export function listenToKeys(store: ReportStore): void {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const { target, key } = event;
    if (isField(target)) {
      if (key === "Escape" && target instanceof HTMLElement) target.blur();
      return;
    }
    if (store.dialog.peek() !== null) return;
    const command = store.settings.hasKeys.peek()
      ? commandsOf(store).find(({ keys }) => keys.includes(key))
      : undefined;
    if (command === undefined) return;
    event.preventDefault();
    command.run(store, key);
  });
}

/** As the arrows do in the list. */
function step(key: string): void {
  document.querySelector("[role=listbox]")?.dispatchEvent(new KeyboardEvent("keydown", { key }));
}

function focusIn(store: ReportStore, id: string): void {
  if (store.view.peek().view !== "cases") store.show("cases");
  const field = document.getElementById(id);
  field?.focus();
  // Of another view, it is there after the next drawing.
  if (field === null) requestAnimationFrame(() => document.getElementById(id)?.focus());
}

function label(store: ReportStore, verdict: "pass" | "fail"): void {
  const [open, trial] = [store.open.peek(), store.trial.peek()];
  if (open === null || trial === null || store.view.peek().view !== "cases") return;
  const judges = judgesOf(trial.assertions);
  const judge = judges.length > 1 ? (judges[0]?.name ?? null) : null;
  store.extras?.labels.change({ case: open.case.id, trial: trial.trial, judge }, { verdict });
  store.announce(`Trial ${trial.trial} labeled ${verdict}`);
}

/** Whether keys are for what is typed. */
function isField(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches("input:not([type=checkbox]), textarea, select");
}
