import { measureHistory } from "../results-server/measure-history.js";
import { figure, ms } from "../support.js";

const rows = 10_000_000;
// The first upload of each thread is slow; of 160, these alone would be the slowest twentieth.
const uploads = { clients: 8, runs: 50 };

const said = ({ upload: { p50, p95 }, runsPerSecond }) =>
  `p50/p95 ${ms(p50)}/${ms(p95)}, ${runsPerSecond.toFixed(1)} runs/s`;

function resultsServer(name, kind, database) {
  return {
    name,
    what: `the results server on ${database} with ${rows.toLocaleString("en-US")} case rows: the highest p95 of 200 random calls of each query of the API and the pages; p95 of ${uploads.clients * uploads.runs} uploads of 1,000 cases of one trial each by ${uploads.clients} clients; p95 of \`/healthz\` meanwhile; all in ms`,
    targets: { query: 100, upload: 500, health: 50 },
    long: true,
    async measure() {
      const { queries, ingest, ofFive, loadSeconds, busy } = await measureHistory(kind, rows, { runs: uploads.runs });
      const all = Object.entries(queries).toSorted(([, a], [, b]) => b.p95 - a.p95);
      const [[, slowest]] = all;
      const details = all.map(([query, { p50, p95 }]) => `${query} ${ms(p50)}/${ms(p95)}`).join(", ");
      const around = `loaded in ${loadSeconds.toFixed(0)} s; ${busy.toFixed(1)} times as much work as processors`;
      return {
        query: figure(slowest.p95, `p50/p95: ${details}; ${around}`),
        upload: figure(ingest.upload.p95, `${said(ingest)}; with five trials each ${said(ofFive)}`),
        health: figure(ofFive.health.p95, `p50 ${ms(ofFive.health.p50)}, max ${ms(ofFive.health.max)}`),
      };
    },
  };
}

export const resultsServerFigures = [
  resultsServer("results-server", "embedded", "its embedded database"),
  resultsServer("results-server-postgres", "postgres", "Debian's PostgreSQL"),
];
