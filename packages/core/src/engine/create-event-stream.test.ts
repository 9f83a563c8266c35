import { describe, expect, it } from "vitest";
import { createManualClock } from "../__fixtures__/manual-clock.js";
import { createEventStream } from "./create-event-stream.js";
import type { RunEvent } from "./run-event.js";

describe("createEventStream", () => {
  it("numbers events without gaps, drops a listener that throws, and reports the others", () => {
    const heard: RunEvent[] = [];
    const bad = (): void => {
      throw new Error("broken listener");
    };
    const emit = createEventStream([bad, (event) => void heard.push(event)], createManualClock({ start: 7 }));
    emit({ channel: "progress", type: "suite:start", suite: "s", cases: 1 });
    emit({ channel: "progress", type: "suite:end", suite: "s" });
    expect(heard.map(({ seq }) => seq).toSorted((a, b) => a - b)).toEqual([1, 2, 3]);
    expect(heard.filter(({ type }) => type === "error")).toMatchObject([
      { message: "A listener of the event stream failed and was removed: broken listener", phase: "system", time: 7 },
    ]);
  });
});
