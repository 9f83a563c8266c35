import { renderCount } from "../../../core/src/values/plural.js";
import { activeFilters, marks, statuses, withoutFilters, type Mark, type ViewState } from "../logic/view-state.js";
import { signs } from "../logic/format.js";
import type { ReportIndex } from "../report-data.js";
import type { ReportStore } from "../state/report-store.js";
import { Spoken } from "./signs.js";

const markSigns: Readonly<Record<Mark, string>> = { flaky: "~", regressed: "▼", improved: "▲", labeled: "✎" };

/** What narrows the list of cases, and what does so now. */
export function FilterBar({ store }: { store: ReportStore }) {
  const { index, view } = store;
  const { kind, suite, tag, model } = view.value;
  const open = { suite: index.suites.map(({ name }) => name), model: index.models.map(({ name }) => name) };
  return (
    <search class="filters" aria-label="Filter cases">
      <Toggles store={store} />
      <div class="choices">
        {index.kinds.length === 0 ? null : (
          <Choice
            name="Kind"
            all="All kinds"
            value={kind === null ? null : String(kind)}
            options={index.kinds.map(({ title, cases }, at) => ({
              value: String(at + 1),
              label: `${at + 1}  ${title} (${cases})`,
            }))}
            onChoose={(value) => store.go({ kind: value === null ? null : Number(value) })}
          />
        )}
        <Choice
          name="Suite"
          all="All suites"
          value={suite}
          options={open.suite.map(plainOption)}
          onChoose={(value) => store.go({ suite: value })}
        />
        <Choice
          name="Tag"
          all="All tags"
          value={tag}
          options={index.tags.map(plainOption)}
          onChoose={(value) => store.go({ tag: value })}
        />
        <Choice
          name="Model"
          all="All models"
          value={model}
          options={open.model.map(plainOption)}
          onChoose={(value) => store.go({ model: value })}
        />
      </div>
      <Chips store={store} />
    </search>
  );
}

function Toggles({ store }: { store: ReportStore }) {
  const { index, view, extras } = store;
  const counted = countMarks(index, extras?.labels.count.value ?? 0);
  const { statuses: shown, marks: marked } = view.value;
  const flip = <T,>(list: readonly T[], one: T): readonly T[] =>
    list.includes(one) ? list.filter((other) => other !== one) : [...list, one];
  return (
    <div class="toggles" role="group" aria-label="Show cases that">
      {statuses.map((one) => (
        <button
          key={one}
          type="button"
          class={`toggle ${one}`}
          aria-pressed={shown.includes(one)}
          onClick={() => store.go({ statuses: statuses.filter((other) => flip(shown, one).includes(other)) })}
        >
          <span class={`sign ${one}`} aria-hidden="true">
            {signs[one]}
          </span>{" "}
          <b>{renderCount(index.head.counts[one])}</b> {one}
        </button>
      ))}
      {marks.map((one) =>
        counted[one] === 0 ? null : (
          <button
            key={one}
            type="button"
            class={`toggle ${one}`}
            aria-pressed={marked.includes(one)}
            onClick={() => store.go({ marks: marks.filter((other) => flip(marked, one).includes(other)) })}
          >
            <span class={`sign ${one}`} aria-hidden="true">
              {markSigns[one]}
            </span>{" "}
            <b>{renderCount(counted[one])}</b> {one}
          </button>
        ),
      )}
    </div>
  );
}

function countMarks({ cases }: ReportIndex, labeled: number): Readonly<Record<Mark, number>> {
  const counted = { flaky: 0, regressed: 0, improved: 0, labeled };
  for (const { isFlaky, change } of cases) {
    if (isFlaky === true) counted.flaky += 1;
    if (change !== undefined) counted[change] += 1;
  }
  return counted;
}

interface Option {
  value: string;
  label: string;
}

const plainOption = (name: string): Option => ({ value: name, label: name });

interface ChoiceProps {
  name: string;
  all: string;
  value: string | null;
  options: readonly Option[];
  onChoose(value: string | null): void;
}

/** Nothing to choose from is no choice. */
function Choice({ name, all, value, options, onChoose }: ChoiceProps) {
  if (options.length < 2 && value === null) return null;
  return (
    <select
      aria-label={name}
      class={value === null ? "" : "on"}
      value={value ?? ""}
      onChange={(event) => onChoose(event.currentTarget.value === "" ? null : event.currentTarget.value)}
    >
      <option value="">{all}</option>
      {options.map((one) => (
        <option key={one.value} value={one.value}>
          {one.label}
        </option>
      ))}
    </select>
  );
}

function Chips({ store }: { store: ReportStore }) {
  const filters = activeFilters(store.view.value);
  if (filters.length === 0) return null;
  const clear = (change: Partial<ViewState>): void => {
    store.go(change);
    // What had the focus is gone.
    document.getElementById("filter")?.focus();
  };
  return (
    <ul class="chips" aria-label="Active filters">
      {filters.map(({ label, change }) => (
        <li key={label}>
          <button type="button" class="chip" onClick={() => clear(change)}>
            <Spoken>Remove filter </Spoken>
            {label} <span aria-hidden="true">✕</span>
          </button>
        </li>
      ))}
      {filters.length < 2 ? null : (
        <li>
          <button type="button" class="link" onClick={() => clear(withoutFilters(store.view.value))}>
            Clear all
          </button>
        </li>
      )}
    </ul>
  );
}
