import { moment } from "../logic/format.js";
import { views, type View } from "../logic/view-state.js";
import type { FullStore } from "../state/report-store.js";
import { themes, type Theme } from "../state/settings.js";

const viewNames: Readonly<Record<View, string>> = { cases: "Cases", compare: "Compare", run: "Run" };
const themeSigns: Readonly<Record<Theme, string>> = { system: "◐", light: "☀", dark: "☾" };

/** What the report is about, and the ways to its views. */
export function TopBar({ store }: { store: FullStore }) {
  const { index, view, settings, dialog, extras } = store;
  const { labels } = extras;
  const { head } = index;
  const theme = settings.theme.value;
  const isPassed = head.verdict === "passed";
  return (
    <header class="top">
      <h1>
        <span class="brand">KindLM</span> {head.project ?? "Report"}
      </h1>
      <p class={`verdict ${head.verdict}`}>
        <span aria-hidden="true">{isPassed ? "✓" : "✗"}</span> Run {head.verdict}
      </p>
      <p class="meta when">
        <time dateTime={head.startedAt}>{moment(head.startedAt)}</time>
        {head.git === null ? null : <code>{head.git.commit.slice(0, 7)}</code>}
      </p>
      <nav aria-label="Views">
        {views.map((one) => (
          <a
            key={one}
            href={one === "cases" ? "#" : `#view=${one}`}
            aria-current={view.value.view === one ? "page" : undefined}
            onClick={(event) => {
              event.preventDefault();
              store.show(one);
            }}
          >
            {viewNames[one]}
          </a>
        ))}
      </nav>
      <div class="tools">
        <button type="button" onClick={() => (dialog.value = "labels")}>
          Labels{labels.count.value === 0 ? "" : ` (${labels.count.value})`}
        </button>
        <button
          type="button"
          aria-label={`Colors: ${theme}`}
          title={`Colors: ${theme}`}
          onClick={() => (settings.theme.value = themes[(themes.indexOf(theme) + 1) % themes.length] ?? "system")}
        >
          {themeSigns[theme]}
        </button>
        <button type="button" aria-label="Help and keys" onClick={() => (dialog.value = "help")}>
          ?
        </button>
      </div>
    </header>
  );
}
