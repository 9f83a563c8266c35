import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { CapturedOutput } from "./captured-output.js";
import { OutputLog } from "./output-log.js";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Bytes that are alive. Unlike `process.memoryUsage`, V8 needs no /proc to know them. */
function liveBytes(): number {
  collectGarbage();
  const { used_heap_size: inHeap, external_memory: outside } = getHeapStatistics();
  return inHeap + outside;
}

it("keeps little of 64 MiB of output: its start and its end, and the last part of a log", () => {
  const captured = new CapturedOutput();
  const log = new OutputLog();
  const before = liveBytes();
  for (let chunk = 0; chunk < 1_024; chunk += 1) {
    const bytes = Buffer.alloc(65_536, `${chunk} `);
    captured.push(bytes);
    log.push("stdout", bytes);
  }
  expect(liveBytes() - before).toBeLessThan(16 * 2 ** 20);
  expect(captured.text()).toMatch(/^0 0 .*…\n\[\d+ characters are left out\]\n….* 1023 /s);
  expect(captured.text().length).toBeLessThan(33_000);
  expect(log.read(0)).toMatchObject({ truncated: true, output: expect.stringMatching(/^…/) });
  expect(log.read(64 * 2 ** 20 - 10).output).toHaveLength(10);
});
