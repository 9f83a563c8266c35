import { beforeAll } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    /** How long the calibration loop took before the tests of the file, in milliseconds. */
    calibrationMs?: number;
  }
}

/**
 * Rounds of the loop: some 30 ms on an idle core. A shorter loop would not notice other load, since the kernel lets a
 * thread that has just woken up go on for a few milliseconds.
 */
const rounds = 2_400_000;

/** One file in so many is preceded by the loop. */
const everyFiles = 48;

let files = 0;

function calibrate(): number {
  const from = performance.now();
  const counts = new Map<number, number>();
  for (let round = 0; round < rounds; round += 1) {
    const key = (round * 7_919) % 997;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return performance.now() - from;
}

/** Times a fixed piece of work in the worker, before the tests of the first file and of every 48th after it. */
export function calibrateWorker(): void {
  files += 1;
  if (files % everyFiles !== 1) return;
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads from the pattern which fixtures a hook wants: none
  beforeAll(({}, suite) => {
    suite.file.meta.calibrationMs = calibrate();
  });
}
