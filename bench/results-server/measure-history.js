import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { mkdtempSync, rmSync } from "node:fs";
import { historyOf, loadHistory } from "./load-history.js";
import { measureIngest, measureQueries, withResultsServer } from "./measure.js";
import { startCluster } from "./postgres-cluster.js";

/** The kinds of database, each as what lends a place to `action` that is gone afterwards. */
const places = {
  async embedded(action) {
    const folder = mkdtempSync(join(tmpdir(), "kindlm-history-"));
    try {
      return await action(join(folder, "data"));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  async postgres(action) {
    const cluster = await startCluster({ isDurable: true });
    try {
      await cluster.query("create database history");
      return await action(cluster.urlOf("history"));
    } finally {
      await cluster.remove();
    }
  },
};

/**
 * Loads a history of so many case rows into a database of a kind, `embedded` or `postgres`, and measures the server on
 * it, in milliseconds. `busy` says how many times more work than processors the machine had at the end, at least 1.
 *
 * @typedef {{ p50: number, p95: number, max: number }} Times
 * @typedef {{ upload: Times, health: Times, statuses: Record<number, number>, runsPerSecond: number }} Ingest
 * @returns {Promise<{ queries: Record<string, Times>, ingest: Ingest, ofFive: Ingest, loadSeconds: number, busy: number }>}
 */
export function measureHistory(kind, rows, { calls, runs } = {}) {
  const history = historyOf(rows);
  return places[kind](async (place) => {
    const from = performance.now();
    await loadHistory(place, history);
    const loadSeconds = (performance.now() - from) / 1_000;
    return withResultsServer(place, async (origin) => {
      const queries = await measureQueries(origin, history, { calls });
      const ingest = await measureIngest(origin, history, { runs });
      const ofFive = await measureIngest(origin, history, { runs, trials: 5 });
      return { queries, ingest, ofFive, loadSeconds, busy: Math.max(1, loadavg()[0] / availableParallelism()) };
    });
  });
}
