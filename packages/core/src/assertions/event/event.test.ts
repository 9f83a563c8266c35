import { describe, expect, it } from "vitest";
import type { AssertionContext } from "../define-assertion.js";
import { event } from "./event.js";

const toolCalls = [
  { tool: "get_weather", args: {}, events: [{ name: "fetched", data: { city: "Lisbon" } }] },
  { tool: "get_weather", args: {} },
  {
    tool: "save",
    args: {},
    events: [
      { name: "fetched", data: { city: "Porto", degrees: 22 } },
      { name: "saved", data: null },
    ],
  },
];
const evaluate = (written: unknown, trial: object = { toolCalls }) =>
  event.evaluate(event.options.parse(written), trial, {} as AssertionContext);

describe("event", () => {
  it.each<[written: object, message: string]>([
    [{ name: "saved" }, "save emitted saved with null"],
    [{ name: "fetched" }, 'get_weather emitted fetched with {city: "Lisbon"}'],
    [{ name: "fetched", data: { degrees: { $gt: 20 } } }, 'save emitted fetched with {city: "Porto", degrees: 22}'],
  ])("passes for %j", async (written, message) => {
    expect(await evaluate(written)).toEqual({ success: true, data: { pass: true, score: 1, message } });
  });

  it.each<[written: object, trial: object, message: string]>([
    [
      { name: "fetched", data: { city: "Faro" } },
      { toolCalls },
      'Expected an event fetched with {city: "Faro"}, but the last of 2 such events has {city: "Porto", degrees: 22}',
    ],
    [
      { name: "save" },
      { toolCalls },
      'Expected an event save, but the tools emitted fetched and saved. Did you mean "saved"?',
    ],
    [{ name: "saved" }, { toolCalls: [] }, "Expected an event saved, but no tool emitted an event"],
  ])("fails for %j", async (written, trial, message) => {
    expect(await evaluate(written, trial)).toMatchObject({ data: { pass: false, score: 0, message } });
  });

  it("cannot be evaluated without recorded calls", async () => {
    expect(await evaluate({ name: "saved" }, {})).toMatchObject({
      success: false,
      error: { code: "ASSERTION_EVAL_ERROR" },
    });
  });
});
