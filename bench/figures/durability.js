import { cli, figure, medians, ms, wallMs, withServer } from "../support.js";
import { writeThroughputConfig } from "../write-configs.js";

const unit = "÷ --no-journal";

function durability(name, { latencyMs, cases, concurrency }) {
  return {
    name,
    what: `wall time with the journal ÷ with \`--no-journal\`, medians of 5 taken in turn: ${cases.toLocaleString("en-US")} cases on a server that takes ${latencyMs} ms, at concurrency ${concurrency}`,
    targets: { [unit]: 1.1 },
    measure: () =>
      withServer([latencyMs], async (url, folder) => {
        const file = writeThroughputConfig(folder, { url, cases, concurrency, name });
        const run = (...more) => wallMs([cli, "test", "-c", file, ...more]);
        const [kept, lost] = await medians([() => run(), () => run("--no-journal")], 5);
        return { [unit]: figure(kept / lost, `${ms(kept)} ÷ ${ms(lost)}`) };
      }),
  };
}

export const durabilityFigures = [
  durability("durability", { latencyMs: 5, cases: 5_000, concurrency: 10 }),
  durability("durability-no-latency", { latencyMs: 0, cases: 10_000, concurrency: 50 }),
];
