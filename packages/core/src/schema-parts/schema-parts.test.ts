import { describe, expect, it } from "vitest";
import * as z from "zod";
import { durationSchema } from "./duration-schema.js";
import { problemsOf } from "./parse-with.js";
import { strictObject } from "./strict-object.js";

const schema = strictObject({
  name: z.string(),
  runs: z.int().min(1).optional(),
  mode: z.enum(["strict", "subset"]).optional(),
  wait: durationSchema.optional(),
  entry: z.union([z.string(), strictObject({ id: z.string(), prompt: z.string() })]).optional(),
  tags: z.array(z.string()).min(1).optional(),
  retry: z.union([z.enum(["default"]), z.object({})]).optional(),
  part: z
    .discriminatedUnion("role", [z.object({ role: z.literal("user") }), z.object({ role: z.literal("tool") })])
    .optional(),
  map: z.record(z.string().regex(/^\S+$/, { error: "A name has no space\nWrite a_b" }), z.number()).optional(),
  deep: z.object({ script: z.union([z.string(), z.object({})]) }).optional(),
});

function problems(value: unknown) {
  const parsed = schema.safeParse(value, { reportInput: true });
  return parsed.success ? [] : problemsOf(parsed.error);
}

describe("problemsOf", () => {
  it.each([
    [{}, [{ path: ["name"], message: '"name" is missing; expected a string' }]],
    [
      { name: 5 },
      [{ path: ["name"], message: '"name" must be a string, but it is a number', hint: "Put it in quotes" }],
    ],
    [{ name: "x", runs: 0 }, [{ path: ["runs"], message: '"runs" must be at least 1' }]],
    [{ name: "x", runs: 1.5 }, [{ path: ["runs"], message: '"runs" must be a whole number' }]],
    [
      { name: "x", mode: "strct" },
      [{ path: ["mode"], message: '"mode" must be "strict" or "subset"', hint: 'Did you mean "strict"?' }],
    ],
    [
      { name: "x", wait: "soon" },
      [
        {
          path: ["wait"],
          message: '"soon" is not a valid duration',
          hint: "Use a number with a unit, such as 500ms, 30s, 2m or 1h",
        },
      ],
    ],
    [{ name: "x", tags: [] }, [{ path: ["tags"], message: '"tags" must have at least 1 entry' }]],
    [
      { name: "x", entry: 3 },
      [{ path: ["entry"], message: '"entry" must be a string or an object', hint: "Put it in quotes" }],
    ],
    [
      { name: "x", entry: { id: "a", prompt: 1 } },
      [
        {
          path: ["entry", "prompt"],
          message: '"prompt" must be a string, but it is a number',
          hint: "Put it in quotes",
        },
      ],
    ],
    [
      { name: "x", nmae: 1, zzz: 2 },
      [
        { path: ["nmae"], message: 'Unknown key "nmae"', hint: 'Did you mean "name"?', atKey: true },
        {
          path: ["zzz"],
          message: 'Unknown key "zzz"',
          hint: "Valid keys: name, runs, mode, wait, entry, tags, retry, part, map, deep",
          atKey: true,
        },
      ],
    ],
    [
      { name: "x", retry: "defalt" },
      [{ path: ["retry"], message: '"retry" must be "default" or an object', hint: 'Did you mean "default"?' }],
    ],
    [
      { name: "x", part: { role: "usr" } },
      [{ path: ["part", "role"], message: '"role" must be "user" or "tool"', hint: 'Did you mean "user"?' }],
    ],
    [{ name: "x", part: {} }, [{ path: ["part", "role"], message: '"role" is missing; expected "user" or "tool"' }]],
    [
      { name: "x", map: { "a b": 1 } },
      [{ path: ["map", "a b"], message: "A name has no space", hint: "Write a_b", atKey: true }],
    ],
    [
      { name: "x", deep: {} },
      [{ path: ["deep", "script"], message: '"script" is missing; expected a string or an object' }],
    ],
    [[], [{ path: [], message: "The value must be an object, but it is a list" }]],
  ])("%j", (value, expected) => {
    expect(problems(value)).toEqual(expected);
  });
});
