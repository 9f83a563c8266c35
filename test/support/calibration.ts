import { beforeAll } from "vitest";
import { calibrate } from "../../bench/reference-speed.js";

declare module "vitest" {
  interface TaskMeta {
    /** How long the calibration loop took before the tests of the file, in milliseconds. */
    calibrationMs?: number;
  }
}

/** One file in so many is preceded by the loop. */
const everyFiles = 48;

let files = 0;

/** Times a fixed piece of work in the worker, before the tests of the first file and of every 48th after it. */
export function calibrateWorker(): void {
  files += 1;
  if (files % everyFiles !== 1) return;
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads from the pattern which fixtures a hook wants: none
  beforeAll(({}, suite) => {
    suite.file.meta.calibrationMs = calibrate();
  });
}
