import { getEventListeners } from "node:events";
import { expect, it } from "vitest";
import { withAnySignal } from "./with-any-signal.js";

const untilAborted = (signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(signal.reason);
    signal.addEventListener("abort", () => resolve(signal.reason));
  });

it("aborts with the first of its sources, for the same reason", async () => {
  const [first, second] = [new AbortController(), new AbortController()];
  const reason = withAnySignal([first.signal, second.signal], untilAborted);
  second.abort("second");
  first.abort("first");
  expect(await reason).toBe("second");
});

it("is aborted from the start if one of its sources is", async () => {
  const signals = [new AbortController().signal, AbortSignal.abort("before")];
  expect(await withAnySignal(signals, async ({ reason }) => reason as unknown)).toBe("before");
});

it("leaves no listener behind, however the action ends", async () => {
  const { signal } = new AbortController();
  await withAnySignal([signal], async () => {});
  await expect(withAnySignal([signal], () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(getEventListeners(signal, "abort")).toEqual([]);
});
