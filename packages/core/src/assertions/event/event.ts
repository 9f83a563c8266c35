import * as z from "../../values/deferred-zod.js";
import { matcherSchema } from "../../matchers/matcher-schema.js";
import { success } from "../../result.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import type { TrialToolCall } from "../../transcript/trial.js";
import { didYouMean } from "../../values/nearest-name.js";
import { preview } from "../../values/preview.js";
import { defineAssertion } from "../define-assertion.js";
import { joinNames, readToolCalls } from "../tool-expectations/made-calls.js";
import { plural } from "../../values/plural.js";

export const event = defineAssertion({
  type: "event",
  summary: "A tool emitted an event of this name whose data matches.",
  example: "{ type: event, name: weather_fetched, data: { city: Lisbon } }",
  kind: "deterministic",
  options: strictObject({
    name: z.string().min(1).describe("Name of the event, as the tool gave it to ctx.emit."),
    data: matcherSchema.optional().describe("Matcher for the event's data; left out, any data will do."),
  }),
  evaluate({ name, data }, trial) {
    const calls = readToolCalls(trial, "event");
    if (!calls.success) return calls;
    const emitted = eventsOf(calls.data);
    const named = emitted.filter((one) => one.name === name);
    const found = named.find((one) => data === undefined || data.match(one.data).pass);
    if (found !== undefined) {
      return success({ pass: true, score: 1, message: `${found.tool} emitted ${name} with ${preview(found.data)}` });
    }
    const wanted = data === undefined ? `an event ${name}` : `an event ${name} with ${data.describe()}`;
    return success({
      pass: false,
      score: 0,
      message: `Expected ${wanted}, ${describeMiss(name, named, emitted)}`,
      expected: data === undefined ? { name } : { name, data: data.source },
      actual: emitted,
    });
  },
});

interface EmittedEvent {
  tool: string;
  name: string;
  data: unknown;
}

function eventsOf(calls: readonly TrialToolCall[]): readonly EmittedEvent[] {
  return calls.flatMap(({ tool, events = [] }) => events.map(({ name, data }) => ({ tool, name, data })));
}

function describeMiss(name: string, named: readonly EmittedEvent[], emitted: readonly EmittedEvent[]): string {
  const last = named.at(-1);
  if (last !== undefined) return `but the last of ${plural(named.length, "such event")} has ${preview(last.data)}`;
  const names = [...new Set(emitted.map((one) => one.name))];
  if (names.length === 0) return "but no tool emitted an event";
  return `but the tools emitted ${joinNames(names, "and")}. ${didYouMean(name, names) ?? ""}`.trim();
}
