import { expect, it } from "vitest";
import { resolveSettings, settingFields, settingKeys, testSettings } from "./test-settings.js";

type Written = Parameters<typeof resolveSettings>[0];

it.each<[string, Written, object]>([
  [
    "the nearest level wins",
    { test: { tool_errors: "plain" }, suite: { tool_errors: "none" } },
    { toolErrors: "plain" },
  ],
  ["a level that does not set it leaves it to the next", { test: {}, suite: { guardrail: true } }, { guardrail: true }],
  ["a test takes back what its suite says", { test: { skip: null }, suite: { skip: "later" } }, { skip: null }],
  ["what is set to no is set", { test: { early_end: false }, defaults: { early_end: true } }, { vars: {} }],
  [
    "the defaults come last",
    { suite: { early_end: true }, defaults: { early_end: { sprt: {} } } },
    { endsEarly: true },
  ],
  ["a level that may not set it is not asked", { test: {}, suite: { threshold: 1 } }, { threshold: null }],
  [
    "tags add up, those of the suite first",
    { test: { tags: ["b", "a"] }, suite: { tags: ["a"] } },
    { tags: ["a", "b"] },
  ],
  [
    "variables are merged name by name",
    { test: { vars: { a: 1 } }, suite: { vars: { a: 2, b: 2 } }, config: { vars: { b: 3, c: 3 } } },
    { vars: { a: 1, b: 2, c: 3 } },
  ],
])("%s", (_, written, expected) => {
  expect(resolveSettings(written)).toEqual({ ...resolveSettings({}), ...expected });
});

it("has the built-in values where nothing is written", () => {
  expect(resolveSettings({})).toEqual({
    tags: [],
    vars: {},
    skip: null,
    toolErrors: "envelope",
    recommendations: null,
    guardrail: false,
    threshold: null,
    only: false,
    allowFailure: null,
    critical: false,
    group: null,
  });
});

it("knows each setting once, and what each of its fields can change", () => {
  const keys = testSettings.map(({ key }) => key);
  expect(new Set(keys).size).toBe(keys.length);
  expect(Object.keys(settingFields)).toEqual(expect.arrayContaining(Object.keys(resolveSettings({}))));
  expect(Object.keys(settingFields)).toHaveLength(testSettings.flatMap(({ identity }) => Object.keys(identity)).length);
  expect(Object.keys(settingKeys("defaults"))).toEqual(["early_end"]);
});
