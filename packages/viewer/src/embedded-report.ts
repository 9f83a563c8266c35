import { inflate } from "./inflate.js";
import { mountReport } from "./mount-report.js";

/**
 * The page as it is in a file: its data is in inert scripts of that file, `report-index` and `report-chunk-0` and on. It
 * appears in `report`, in place of a summary for readers whose server allows no scripts.
 */
const root = document.getElementById("report");
if (root !== null) {
  void mountReport(root, {
    readIndex: () => inflate("report-index"),
    readChunk: (number) => inflate(`report-chunk-${number}`),
  });
}
