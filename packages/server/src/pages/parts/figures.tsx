import { percent } from "@kindlm/core/program";
import { wilsonInterval } from "@kindlm/core/upload";
import type { Child } from "hono/jsx";

/** A time. The script of the pages writes it in the zone of the reader. */
export function Time({ ms }: { ms: number }) {
  const iso = new Date(ms).toISOString();
  return <time datetime={iso}>{`${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`}</time>;
}

/** A verdict, with its sign and its word. */
export function Verdict({ verdict }: { verdict: "passed" | "failed" }) {
  return (
    <span class={`verdict ${verdict}`}>
      <span class="sign" aria-hidden="true">
        {verdict === "passed" ? "✓" : "✗"}
      </span>
      {verdict}
    </span>
  );
}

/** The rate of passed cases with its 95% interval. */
export function PassRate({ passed, failed }: { passed: number; failed: number }) {
  const counted = passed + failed;
  const interval = wilsonInterval(passed, counted);
  if (interval === null) return <span class="dim">–</span>;
  const [low, high] = interval.map(percent);
  return (
    <>
      {percent(passed / counted)} <span class="meta interval">{`${low} to ${high}`}</span>
    </>
  );
}

/** What a page says before there is anything to show: what to do next, often a command. */
export function Empty({ title, command, children }: { title: string; command?: string; children?: Child }) {
  return (
    <div class="empty">
      <p class="lead">{title}</p>
      {children}
      {command === undefined ? null : <Command text={command} />}
    </div>
  );
}

/** Something to copy into a terminal. */
export function Command({ text, id = "command" }: { text: string; id?: string }) {
  return (
    <div class="command">
      <code id={id}>{text}</code>
      <button type="button" data-copy={`#${id}`} hidden>
        Copy
      </button>
    </div>
  );
}

/** A link to the next page of a list. `query` is what the address has besides. */
export function NextPage({ path, next, query }: { path: string; next: string | null; query?: Record<string, string> }) {
  if (next === null) return null;
  return (
    <p>
      <a class="button" href={`${path}?${new URLSearchParams({ ...query, after: next }).toString()}`}>
        Show older ones
      </a>
    </p>
  );
}
