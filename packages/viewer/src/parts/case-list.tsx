import { plural, renderCount } from "../../../core/src/values/plural.js";
import { renderDuration } from "../../../core/src/values/duration.js";
import { usd } from "../logic/format.js";
import type { ReportCase } from "../report-data.js";
import { isSamplingIn, type ReportStore } from "../state/report-store.js";
import { Badges, Sign, TrialSigns } from "./signs.js";
import { VirtualList } from "./virtual-list.js";

/** The cases that the filters show. */
export function CaseList({ store }: { store: ReportStore }) {
  const { index, shown, view, extras } = store;
  const places = shown.value;
  const selected = places.indexOf(store.placeOf(view.value.case));
  const searched = extras?.search.progress.value ?? null;
  const isSearching = searched !== null && searched.done < searched.chunks;
  return (
    <section class="pane cases" aria-label="Cases">
      <div class="fields">
        <input
          id="filter"
          type="search"
          aria-label="Filter cases by words"
          placeholder="Filter cases"
          value={view.value.q}
          onInput={(event) => store.go({ q: event.currentTarget.value }, { isStep: false })}
        />
        {extras === null ? null : <SearchField key={view.value.text} store={store} text={view.value.text} />}
      </div>
      <p class="count" role="status">
        {isSearching
          ? `Searching transcripts: ${Math.round((searched.done / searched.chunks) * 100)}%, ${plural(places.length, "case")} so far`
          : places.length === index.cases.length
            ? plural(places.length, "case")
            : `${renderCount(places.length)} of ${plural(index.cases.length, "case")}`}
      </p>
      {searched === null || searched.problem === null ? null : (
        <p class="problem">The search stopped: {searched.problem}</p>
      )}
      {places.length === 0 && !isSearching ? (
        <p class="nothing">No case matches these filters.</p>
      ) : (
        <VirtualList
          label="Cases"
          count={places.length}
          rowHeight={52}
          selected={selected}
          row={(at) => {
            const one = index.cases[places[at] ?? -1];
            return one === undefined
              ? { className: "", children: null }
              : { className: one.status, children: <CaseRow store={store} of={one} /> };
          }}
          onSelect={(at, isStep) => store.openCase(places[at] ?? -1, { isStep })}
        />
      )}
    </section>
  );
}

/** A search through all transcripts reads the whole report, so it starts when it is asked to, not at each letter. */
function SearchField({ store, text }: { store: ReportStore; text: string }) {
  return (
    <form
      class="search"
      onSubmit={(event) => {
        event.preventDefault();
        const wanted = new FormData(event.currentTarget).get("text");
        store.go({ text: typeof wanted === "string" ? wanted : "" });
      }}
    >
      <input
        id="search"
        name="text"
        type="search"
        aria-label="Search all transcripts"
        placeholder="Search transcripts"
        defaultValue={text}
      />
      <button type="submit">Search</button>
    </form>
  );
}

function CaseRow({ store, of }: { store: ReportStore; of: ReportCase }) {
  const { index } = store;
  const { suites, models } = index;
  const suite = suites[of.suite]?.name ?? "";
  const model = models[of.model]?.name ?? "";
  const isSampling = isSamplingIn(store);
  const name = of.id.startsWith(`${suite}/`) ? of.id.slice(suite.length + 1) : of.id;
  const variant = name.lastIndexOf(`@${model}`);
  return (
    <>
      {isSampling ? <span class="sign dim">·</span> : <Sign status={of.status} />}
      <span class="id">
        {variant === -1 ? name : name.slice(0, variant)}
        {variant === -1 ? null : <span class="dim">{name.slice(variant + model.length + 1)}</span>}
      </span>
      {isSampling ? null : <TrialSigns {...of} />}
      <span class="sub">
        <span>{suite}</span>
        {models.length > 1 ? <span>{model}</span> : null}
        {isSampling ? null : <Badges of={of} />}
        {isSampling ? null : <span class="why">{whyOf(of, index)}</span>}
      </span>
      <span class="figures">
        {of.status === "skipped" ? "" : `${renderDuration(of.latencyMs)} · ${usd(of.costUsd)}`}
      </span>
    </>
  );
}

function whyOf({ kind, cause, reason }: ReportCase, { kinds, causes }: ReportStore["index"]): string {
  if (kind !== undefined) return kinds[kind - 1]?.title ?? "";
  if (cause !== undefined) return causes[cause - 1]?.title ?? "";
  return reason ?? "";
}
