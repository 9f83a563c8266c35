import { cli, figure, usageOf, withServer } from "../support.js";
import { writeThroughputConfig } from "../write-configs.js";

export const growthFigures = [
  {
    name: "growth",
    what: "CPU per further case from 10,000 one-turn cases to 100,000 ÷ from 1,000 to 10,000; peak memory (resident set) at 100,000; the same per further case from 10,000 on",
    targets: { CPU: 1.1, "peak MiB": 200, "KiB per case": 1 },
    long: true,
    measure: () =>
      withServer([0], async (url, folder) => {
        const measure = (cases) => {
          const config = writeThroughputConfig(folder, { url, cases, concurrency: 50, name: `rows-${cases}` });
          return usageOf([cli, "test", "-c", config]);
        };
        const [small, medium, large] = [await measure(1_000), await measure(10_000), await measure(100_000)];
        const cpuPerCase = (more, less, cases) => (more.cpuMs - less.cpuMs) / cases;
        const [late, early] = [cpuPerCase(large, medium, 90_000), cpuPerCase(medium, small, 9_000)];
        const perCaseKib = ((large.peakMib - medium.peakMib) * 1_024) / 90_000;
        return {
          CPU: figure(late / early, `${late.toFixed(3)} ms ÷ ${early.toFixed(3)} ms per case`),
          "peak MiB": figure(large.peakMib, `${medium.peakMib.toFixed(0)} MiB at 10,000 cases`),
          "KiB per case": figure(perCaseKib, ""),
        };
      }),
  },
];
