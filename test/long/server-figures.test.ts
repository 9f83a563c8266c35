import { expect, it } from "vitest";
import { measureHistory } from "../../bench/results-server/measure-history.js";

/** In milliseconds, on an idle machine. */
const most = { query: 100, upload: 500, health: 50 };

// `pnpm bench --long` takes the same with ten million rows.
it.each(["embedded", "postgres"] as const)(
  "on %s with a million case rows it is fast enough",
  { timeout: 1_800_000 },
  async (kind) => {
    const { queries, ingest, ofFive, busy } = await measureHistory(kind, 1_000_000);
    const slow = Object.entries(queries).filter(([, { p95 }]) => p95 > most.query * busy);
    expect(slow).toEqual([]);
    expect([ingest.statuses, ofFive.statuses]).toEqual([{ 201: 160 }, { 201: 160 }]);
    expect(ingest.upload.p95).toBeLessThan(most.upload * busy);
    expect(ofFive.health.p95).toBeLessThan(most.health * busy);
  },
);
