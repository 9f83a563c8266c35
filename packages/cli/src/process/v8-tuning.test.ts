import { describe, expect, it } from "vitest";
import { createV8Tuning, type V8Tuning } from "./v8-tuning.js";

const memory = "--no-allocation-site-pretenuring --heap-growing-percent=20";
const patient = "--interrupt-budget=1000000 --no-incremental-marking";
const usual = "--interrupt-budget=67584 --incremental-marking";
const eager = "--interrupt-budget=30000 --incremental-marking";

const collected = "a full collection";

/** The flags that are set, and where garbage is collected. */
function record(version: string): { tuning: V8Tuning; asked: string[] } {
  const asked: string[] = [];
  const controls = { setFlags: (flag: string) => void asked.push(flag), collect: () => void asked.push(collected) };
  return { tuning: createV8Tuning(version, controls), asked };
}

function flagsOf(version: string, tune: (tuning: V8Tuning) => void): string[] {
  const { tuning, asked } = record(version);
  tune(tuning);
  return asked;
}

describe("V8 of Node 20", () => {
  const version = "11.3.244.8-node.33";

  it("waits with optimizing where a large config is read", () => {
    expect(flagsOf(version, (tuning) => tuning.forLargeConfig())).toEqual([patient]);
  });

  it.each([
    [25_000, [patient]],
    [25_001, [memory]],
  ])("is tuned for %i trials that are read", (count, expected) => {
    expect(flagsOf(version, (tuning) => tuning.forStoredTrials(count))).toEqual(expected);
  });

  it.each([
    [1, [patient]],
    [2_500, [patient]],
    [2_501, [eager]],
    [19_999, [eager]],
    [20_000, [eager, memory, collected]],
  ])("is tuned for %i trials", (count, expected) => {
    expect(flagsOf(version, (tuning) => tuning.forTrials(count))).toEqual(expected);
  });
});

it("has V8 compile WebAssembly once, and restores its flags", () => {
  const { tuning, asked: flags } = record("11.3.244.8-node.33");
  const set = "--no-wasm-lazy-compilation --no-wasm-tier-up --no-wasm-dynamic-tiering";
  const restored = "--wasm-lazy-compilation --wasm-tier-up --wasm-dynamic-tiering";
  expect(tuning.forWasm(() => [...flags])).toEqual([set]);
  expect(flags).toEqual([set, restored]);
});

it("does not set what later versions of V8 do not know", () => {
  const tune = (tuning: V8Tuning): void => {
    tuning.forLargeConfig();
    tuning.forTrials(20_000);
    expect(tuning.forWasm(() => 7)).toBe(7);
  };
  expect(flagsOf("12.4.254.21-node.33", tune)).toEqual([memory, collected]);
});

it("restores the flags that it sets", () => {
  const restored = "--allocation-site-pretenuring --heap-growing-percent=0";
  expect(flagsOf("11.3.244.8-node.33", (tuning) => tuning.restore())).toEqual([usual, restored]);
  expect(flagsOf("12.4.254.21-node.33", (tuning) => tuning.restore())).toEqual([restored]);
});
