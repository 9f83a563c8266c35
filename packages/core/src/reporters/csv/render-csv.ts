import { casesOf } from "../../engine/summary/cases-of.js";
import type { RunResult, TestResult } from "../../engine/run-result.js";
import { visible } from "../../values/visible.js";
import type { RenderOptions } from "../define-reporter.js";
import { whyNotPassed } from "../why-not-passed.js";

// A new column goes to the end: scripts may count them.
const columns = [
  "suite",
  "test",
  "row",
  "model",
  "prompt",
  "fault",
  "status",
  "passes",
  "counted",
  "runs",
  "required",
  "interval_low",
  "interval_high",
  "latency_ms",
  "cost_usd",
  "critical",
  "allow_failure",
  "id",
  "reason",
  "arm",
] as const;

type Row = Record<(typeof columns)[number], string | number | boolean | null>;

export async function* renderCsv(result: RunResult, options: RenderOptions): AsyncIterable<string> {
  yield `${columns.join(",")}\r\n`;
  for (const test of casesOf(result.suites)) {
    // One case after the other keeps memory flat.
    const row = await rowOf(test, result, options);
    yield `${columns.map((column) => cell(row[column])).join(",")}\r\n`;
  }
}

async function rowOf(test: TestResult, result: RunResult, options: RenderOptions): Promise<Row> {
  const { redact } = options;
  const shown = (text: string | null): string | null => (text === null ? null : redact(text));
  const ran = test.status === "skipped" ? null : test;
  return {
    suite: redact(test.suite),
    test: redact(test.name),
    row: shown(test.row),
    model: redact(test.model),
    prompt: shown(test.prompt),
    fault: shown(test.fault),
    arm: shown(test.arm ?? null),
    status: test.status,
    passes: ran?.passes ?? null,
    counted: ran?.counted ?? null,
    runs: ran?.runs ?? null,
    required: ran?.required ?? null,
    interval_low: ran?.interval?.[0].toFixed(4) ?? null,
    interval_high: ran?.interval?.[1].toFixed(4) ?? null,
    latency_ms: ran === null ? null : Number(ran.latencyMs.toFixed(3)),
    cost_usd: ran?.costUsd ?? null,
    critical: test.critical,
    allow_failure: shown(test.allowFailure),
    id: redact(test.id),
    reason: (await whyNotPassed(test, result, options)).join("\n"),
  };
}

/** A spreadsheet takes a string that begins like this for a formula. */
const formula = /^[\s]*[=+\-@\t\r]/;

function cell(value: Row[keyof Row]): string {
  if (typeof value !== "string") return value === null ? "" : String(value);
  const text = visible(value);
  const defused = formula.test(text) ? `'${text}` : text;
  return /[",\r\n']/.test(defused) ? `"${defused.replaceAll('"', '""')}"` : defused;
}
