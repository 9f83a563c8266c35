import { wilsonInterval, type RunDocument } from "@kindlm/core/upload";
import { lettersIn, type PdfLine } from "./write-pdf.js";

const size = 9;
const columns = lettersIn(size);

interface SummaryParts {
  project: string;
  run: RunDocument;
  uploadedMs: number;
  /** Cases that did not pass, in their order. */
  failed: readonly { case_id: string; status: string; passes: number; counted: number }[];
  /** How many more there are. */
  more: number;
}

/** The lines of a run on paper: verdict, figures, suites, gates, and cases that did not pass. Measurements only. */
export function summarizeRun({ project, run, uploadedMs, failed, more }: SummaryParts): readonly PdfLine[] {
  const { summary, suites, gates } = run;
  const rows: readonly (readonly [string, string])[] = [
    ["Verdict", run.verdict + (run.interrupted ? ", interrupted" : "")],
    ["Started", run.startedAt],
    ["Uploaded", new Date(uploadedMs).toISOString()],
    ["Branch", run.branch ?? "–"],
    ["Commit", (run.commit ?? "–") + (run.dirty ? ", with changes" : "")],
    ["KindLM", run.kindlm],
    [
      "Cases",
      `${summary.passed} passed, ${summary.failed} failed, ${summary.errored} errored, ${summary.skipped} skipped`,
    ],
    ["Pass rate", rateOf(summary.passed, summary.failed)],
    ["Cost", summary.costUsd === null ? "unknown" : `$${summary.costUsd.toFixed(4)}`],
    [
      "Latency",
      summary.latencyMs === null ? "–" : `p50 ${msOf(summary.latencyMs.p50)}, p95 ${msOf(summary.latencyMs.p95)}`,
    ],
  ];
  return [
    { text: `${project}: run ${run.run}`, font: "bold", size: 16 },
    blank,
    ...rows.map(([name, value]) => mono(`${name.padEnd(12)}${value}`)),
    ...section("Suites", suites, ({ name, status, figures }) =>
      status === "skipped"
        ? [name, "skipped"]
        : [name, `${rateOf(figures.passed, figures.failed)}  ${figures.errored} errored`],
    ),
    ...section("Gates", gates, ({ name, suite, pass, limit, actual }) => [
      suite === undefined ? name : `${name} (${suite})`,
      `${pass ? "passed" : "failed"}  ${actual === null ? "–" : String(actual)} of ${limit}`,
    ]),
    ...section("Cases that did not pass", failed, ({ case_id, status, passes, counted }) => [
      case_id,
      `${status}  ${passes}/${counted}`,
    ]),
    ...(more === 0 ? [] : [mono(`… and ${more} more`)]),
  ];
}

const mono = (text: string): PdfLine => ({ text: cut(text, columns), font: "mono", size });
const blank = mono("");

/** Names on the left, values on the right. Nothing for no items. */
function section<T>(
  title: string,
  items: readonly T[],
  show: (item: T) => readonly [string, string],
): readonly PdfLine[] {
  if (items.length === 0) return [];
  const lines = items.map((item) => {
    const [name, value] = show(item);
    const room = columns - value.length - 2;
    return mono(`${cut(name, room).padEnd(room)}  ${value}`);
  });
  return [blank, { text: title, font: "bold", size: 12 }, ...lines];
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, Math.max(0, most - 1))}…` : text;
}

function rateOf(passed: number, failed: number): string {
  const interval = wilsonInterval(passed, passed + failed);
  if (interval === null) return "–";
  const percent = (share: number): string => `${(share * 100).toFixed(1)}%`;
  const [low, high] = interval;
  return `${percent(passed / (passed + failed))} (95%: ${percent(low)} to ${percent(high)})`;
}

const msOf = (duration: number): string => `${Math.round(duration)} ms`;
