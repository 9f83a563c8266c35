import type { ReportStatus } from "../report-data.js";

export const views = ["cases", "compare", "run"] as const;
export type View = (typeof views)[number];

export const statuses: readonly ReportStatus[] = ["passed", "failed", "errored", "skipped"];
/** What cases can be besides their status. */
export const marks = ["flaky", "regressed", "improved", "labeled"] as const;
export type Mark = (typeof marks)[number];

/** Everything that is selected, which is what the address of the page says. */
export interface ViewState {
  view: View;
  /** Statuses and marks that are shown; all if there is none. */
  statuses: readonly ReportStatus[];
  marks: readonly Mark[];
  kind: number | null;
  cause: number | null;
  /** Words that a case must have. */
  q: string;
  /** What a transcript must contain. */
  text: string;
  suite: string | null;
  tag: string | null;
  model: string | null;
  /** Id of the case that is open. */
  case: string | null;
  /** Null for the one that shows best why. */
  trial: number | null;
  /** What the run is compared with: `baseline`, the id of a run, or two models with `..` between them. */
  with: string | null;
  /** Of a comparison: cases that did not change too. */
  all: boolean;
}

export const startState: ViewState = {
  view: "cases",
  statuses: [],
  marks: [],
  kind: null,
  cause: null,
  q: "",
  text: "",
  suite: null,
  tag: null,
  model: null,
  case: null,
  trial: null,
  with: null,
  all: false,
};

const texts = ["suite", "tag", "model", "case", "with"] as const;
const numbers = ["kind", "cause", "trial"] as const;

/** Reads the fragment of an address. What it does not understand it leaves at its start. */
export function parseFragment(fragment: string): ViewState {
  const params = new URLSearchParams(fragment.replace(/^#/, ""));
  const listed = new Set((params.get("status") ?? "").split(","));
  const state: ViewState = {
    ...startState,
    view: views.find((name) => name === params.get("view")) ?? startState.view,
    statuses: statuses.filter((status) => listed.has(status)),
    marks: marks.filter((mark) => listed.has(mark)),
    q: params.get("q") ?? "",
    text: params.get("text") ?? "",
    all: params.get("all") === "yes",
  };
  for (const key of texts) state[key] = nonEmpty(params.get(key));
  for (const key of numbers) state[key] = positive(params.get(key));
  return state;
}

/** The fragment of a state, without the `#`. What is at its start is left out. */
export function renderFragment(state: ViewState): string {
  const params = new URLSearchParams();
  const add = (key: string, value: string | number | null): void => {
    if (value !== null && value !== "") params.set(key, String(value));
  };
  if (state.view !== startState.view) add("view", state.view);
  add("status", [...state.statuses, ...state.marks].join(","));
  add("kind", state.kind);
  add("cause", state.cause);
  add("q", state.q);
  add("text", state.text);
  add("suite", state.suite);
  add("tag", state.tag);
  add("model", state.model);
  add("with", state.with);
  if (state.all) add("all", "yes");
  add("case", state.case);
  add("trial", state.trial);
  return params.toString();
}

function nonEmpty(text: string | null): string | null {
  return text === "" ? null : text;
}

function positive(text: string | null): number | null {
  return text !== null && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null;
}

/** The state without any filter. */
export function withoutFilters(state: ViewState): ViewState {
  const { view, case: open, trial, with: other, all } = state;
  return { ...startState, view, case: open, trial, with: other, all };
}

export interface Filter {
  label: string;
  /** What takes it away. */
  change: Partial<ViewState>;
}

/** The filters that are on, one by one. */
export function activeFilters(state: ViewState): readonly Filter[] {
  const { statuses: shown, marks: marked, kind, cause, q, text, suite, tag, model } = state;
  const found: Filter[] = [
    ...shown.map((one) => ({ label: one, change: { statuses: shown.filter((other) => other !== one) } })),
    ...marked.map((one) => ({ label: one, change: { marks: marked.filter((other) => other !== one) } })),
  ];
  if (kind !== null) found.push({ label: `kind ${kind}`, change: { kind: null } });
  if (cause !== null) found.push({ label: `cause ${cause}`, change: { cause: null } });
  if (q !== "") found.push({ label: `filter “${q}”`, change: { q: "" } });
  if (text !== "") found.push({ label: `transcripts with “${text}”`, change: { text: "" } });
  if (suite !== null) found.push({ label: `suite ${suite}`, change: { suite: null } });
  if (tag !== null) found.push({ label: `tag ${tag}`, change: { tag: null } });
  if (model !== null) found.push({ label: `model ${model}`, change: { model: null } });
  return found;
}
