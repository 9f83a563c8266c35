import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { createAbortWatch } from "./abort-watch.js";

describe("createAbortWatch", () => {
  it("tells those who still listen, each once, with one listener on the signal", () => {
    const watch = createAbortWatch();
    const controller = new AbortController();
    const told: string[] = [];
    const remove = ["a", "b", "c", "d"].map((name) => watch.add(controller.signal, () => told.push(name)));
    remove[1]?.();
    remove[1]?.();
    remove[3]?.();
    watch.add(controller.signal, () => told.push("e"));
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(1);
    controller.abort();
    expect(told.toSorted()).toEqual(["a", "c", "e"]);
  });

  it("lets each take itself out while it is told", () => {
    const watch = createAbortWatch();
    const controller = new AbortController();
    const told: string[] = [];
    for (const name of ["a", "b", "c"]) {
      const remove = watch.add(controller.signal, () => {
        remove();
        told.push(name);
      });
    }
    controller.abort();
    expect(told).toEqual(["a", "b", "c"]);
  });
});
