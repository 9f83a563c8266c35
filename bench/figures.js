import { comparisonFigures } from "./figures/comparison.js";
import { durabilityFigures } from "./figures/durability.js";
import { growthFigures } from "./figures/growth.js";
import { mergeFigures } from "./figures/merge.js";
import { rateLimitFigures } from "./figures/rate-limits.js";
import { resultsServerFigures } from "./figures/results-server.js";
import { startFigures } from "./figures/start.js";
import { throughputFigures } from "./figures/throughput.js";
import { workspaceFigures } from "./figures/workspaces.js";
import { writtenOutFigures } from "./figures/written-out.js";

/**
 * Every figure: its name, what is measured, and a target for each value that `measure` may give. Those that take more
 * than a minute are long. `latencyOf` gives how long a server takes that is to take so many milliseconds on the reference
 * machine; it changes with the speed of this machine from moment to moment.
 */
export const figures = [
  ...startFigures,
  ...writtenOutFigures,
  ...throughputFigures,
  ...durabilityFigures,
  ...comparisonFigures,
  ...rateLimitFigures,
  ...workspaceFigures,
  ...growthFigures,
  ...mergeFigures,
  ...resultsServerFigures,
];
