import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { writeSimulatedShards } from "../simulated-shards.js";
import { cli, figure, inTempFolder, usageOf } from "../support.js";

export const mergeFigures = [
  {
    name: "merge",
    what: "`kindlm merge` of 64 simulated shards with 100,000 cases together, of which 2% failed: peak memory (resident set); the same per further case up to 400,000",
    targets: { "peak MiB": 250, "KiB per case": 0.5 },
    long: true,
    measure: () =>
      inTempFolder(async (folder) => {
        const measure = async (cases) => {
          const own = join(folder, String(cases));
          const project = join(own, "project");
          mkdirSync(project, { recursive: true });
          const shards = writeSimulatedShards(own, { cases, of: 64 });
          return usageOf([cli, "merge", shards], { cwd: project, status: 1 });
        };
        const [small, large] = [await measure(100_000), await measure(400_000)];
        const perCaseKib = ((large.peakMib - small.peakMib) * 1_024) / 300_000;
        return {
          "peak MiB": figure(small.peakMib, `${large.peakMib.toFixed(0)} MiB at 400,000 cases`),
          "KiB per case": figure(perCaseKib, ""),
        };
      }),
  },
];
