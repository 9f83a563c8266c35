import { beforeAll, describe, expect, it } from "vitest";
import { bodyRows } from "./support/matrix/body-rows.js";
import { connectionRows } from "./support/matrix/connection-rows.js";
import { policyRows } from "./support/matrix/policy-rows.js";
import { rateLimitRows } from "./support/matrix/rate-limit-rows.js";
import type { Row } from "./support/matrix/row.js";
import { runRow, type Outcome } from "./support/matrix/run-row.js";
import { statusRows } from "./support/matrix/status-rows.js";
import { streamRows } from "./support/matrix/stream-rows.js";
import { timingRows } from "./support/matrix/timing-rows.js";

/** Status × body × timing × connection: what a server can do, and the one thing that comes of it. */
const rows: readonly Row[] = [
  ...timingRows,
  ...connectionRows,
  ...streamRows,
  ...policyRows,
  ...rateLimitRows,
  ...statusRows,
  ...bodyRows,
];

/** At a time. Most of them wait most of the time. */
const atOnce = 24;
/** How much later than planned a row may end, in its own time. */
const slackMs = 20_000;

const outcomes = new Map<Row, Promise<Outcome>>();

beforeAll(() => {
  const pool = createPool(atOnce);
  for (const row of rows) {
    const outcome = pool(() => runRow(row));
    // A row that breaks is the affair of its own test.
    outcome.catch(() => undefined);
    outcomes.set(row, outcome);
  }
});

// A busy machine stretches the time of the rows.
describe("a server that misbehaves", { timeout: 120_000 }, () => {
  it.each(rows.map((row) => [titleOf(row), row] as const))("%s", async (_title, row) => {
    const outcome = await outcomes.get(row);
    if (outcome === undefined) throw new Error("The row was not run");
    const waits = row.waits ?? [];
    expect(outcome).toMatchObject({
      code: row.code,
      requests: row.requests,
      attempts: row.attempts ?? row.requests,
      message:
        row.message === undefined
          ? null
          : typeof row.message === "string"
            ? row.message
            : expect.stringMatching(row.message),
    });
    expect(outcome.waits.map((wait, index) => isWithin(wait, waits[index] ?? [0, 0]))).toEqual(waits.map(() => true));
    const plannedMs = sum(waits.map(([from]) => from)) + (row.spentMs ?? 0);
    expect(outcome.elapsedMs).toBeGreaterThanOrEqual(plannedMs - 5);
    expect(outcome.elapsedMs).toBeLessThan(plannedMs + sum(waits.map(([from, to]) => to - from)) + slackMs);
  });

  it("has a title for each way", () => {
    expect(new Set(rows.map(titleOf)).size).toBe(rows.length);
    expect(rows.length).toBeGreaterThan(150);
  });
});

function titleOf({ name, code, requests }: Row): string {
  return `${name}: ${code}, ${requests} ${requests === 1 ? "request" : "requests"}`;
}

/** Half a millisecond is lost where a date has whole ones. */
function isWithin(wait: number, [from, to]: readonly [number, number]): boolean {
  return wait >= from - 1 && wait <= to + 1;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Runs so many jobs at a time, in their order. */
function createPool(size: number): <T>(job: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let free = size;
  return async (job) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    const release = (): void => {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    };
    return job().finally(release);
  };
}
