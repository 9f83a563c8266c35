import { beforeAll } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    /** How long the calibration loop took when the file began, in milliseconds. */
    calibrationMs?: number;
  }
}

/** A fixed piece of work, which takes about a millisecond on an idle core. Returns how long it took. */
export function calibrate(): number {
  const from = performance.now();
  const counts = new Map<string, number>();
  for (let round = 0; round < 6_000; round += 1) {
    const key = `k${(round * 7_919) % 997}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return performance.now() - from;
}

/** Times the calibration loop in the worker, before the tests of each file. */
export function calibrateFile(): void {
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads from the pattern which fixtures a hook wants: none
  beforeAll(({}, suite) => {
    suite.file.meta.calibrationMs = calibrate();
  });
}
