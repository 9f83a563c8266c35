import { describe, expect, it, vi } from "vitest";
import * as zod from "zod";
import * as z from "./deferred-zod.js";

/** An enum, and whether zod has built it: it reads the entries then. */
function watchedEnum() {
  const watched = { isBuilt: false };
  const entries = Object.defineProperty({ red: "red" }, "red", {
    enumerable: true,
    get() {
      watched.isBuilt = true;
      return "red";
    },
  });
  return { watched, schema: z.enum(entries) };
}

describe("a deferred schema", () => {
  it("is built at its first use and no earlier", () => {
    const { watched, schema } = watchedEnum();
    const steps = z
      .strictObject({ colors: z.array(z.union([schema.describe("a color"), z.int()])).min(1) })
      .superRefine(() => {})
      .meta({ examples: [] });
    expect(watched.isBuilt).toBe(false);
    expect(steps.parse({ colors: ["red", 3] })).toEqual({ colors: ["red", 3] });
    expect(watched.isBuilt).toBe(true);
  });

  it.each([true, false])("is not built for an optional key that is absent (compiled: %s)", (isCompiled) => {
    const { watched, schema } = watchedEnum();
    const object = z.strictObject({ name: z.string(), color: schema.optional().describe("a color") });
    expect(object.safeParse({ name: "x" }, { jitless: !isCompiled }).success).toBe(true);
    expect(watched.isBuilt).toBe(false);
    expect(object.safeParse({ name: "x", color: "blue" }, { jitless: !isCompiled }).success).toBe(false);
    expect(watched.isBuilt).toBe(true);
  });

  it("takes no time for descriptions before it is described", () => {
    const noted = vi.spyOn(zod.globalRegistry, "add");
    const schema = z.strictObject({ color: z.string().optional().describe("a color") }).meta({ examples: [] });
    expect(schema.parse({ color: "red" })).toEqual({ color: "red" });
    expect(noted).not.toHaveBeenCalled();
    expect(z.toJSONSchema(schema)).toMatchObject({ properties: { color: { description: "a color" } }, examples: [] });
    expect(noted).toHaveBeenCalled();
    noted.mockRestore();
  });

  const build = (lib: typeof z | typeof zod) =>
    lib.strictObject({
      name: lib.string().trim().min(1),
      count: lib.int().min(1).default(3).optional(),
      share: lib.number().gt(0).lt(1).nullish(),
      wait: lib
        .union([lib.literal("never"), lib.int().default(5)])
        .optional()
        .meta({ description: "How long", examples: ["never"] }),
      tags: lib
        .array(lib.string().regex(/^\S+$/, { error: "No space" }))
        .transform((tags) => tags.length)
        .optional(),
      rest: lib.record(lib.string(), lib.json()).optional().describe("Anything"),
      gaps: lib.string().optional().array().optional(),
      kind: lib
        .discriminatedUnion("type", [
          lib.object({ type: lib.literal("a") }),
          lib.looseObject({ type: lib.literal("b") }),
        ])
        .optional(),
    });

  it.each([
    [{}],
    [{ name: " x " }],
    [{ name: " x ", count: 0, share: 1, wait: "soon", tags: ["a b"], rest: 3, gaps: [1], kind: { type: "c" } }],
    [
      {
        name: "x",
        count: 2,
        share: null,
        wait: "never",
        tags: ["a"],
        rest: { a: [1] },
        gaps: ["x", undefined],
        kind: { type: "b", more: 1 },
      },
    ],
    [{ name: "x", count: undefined, wait: undefined, tags: undefined, other: 1 }],
  ])("reads %j as zod does", (value) => {
    const [deferred, own] = [build(z).safeParse(value), build(zod).safeParse(value)];
    expect(deferred.success).toBe(own.success);
    expect(deferred.data).toEqual(own.data);
    expect(deferred.error?.issues).toEqual(own.error?.issues);
  });

  it.each([
    [{}],
    [{ name: " x ", count: 0, share: 1, wait: "soon", tags: ["a b"], rest: 3, gaps: [1], kind: { type: "c" } }],
    [
      {
        name: "x",
        count: 2,
        share: null,
        wait: "never",
        tags: ["a"],
        rest: { a: [1] },
        gaps: ["x", undefined],
        kind: { type: "b", more: 1 },
      },
    ],
    [{ name: "x", count: undefined, wait: undefined, tags: undefined, other: 1 }],
  ])("reads %j as zod does once it is quickened", (value) => {
    const deferred = build(z);
    z.quicken(deferred);
    const [quick, own] = [deferred.safeParse(value), build(zod).safeParse(value)];
    expect(quick.success).toBe(own.success);
    expect(quick.data).toEqual(own.data);
    expect(quick.error?.issues).toEqual(own.error?.issues);
  });

  it("gets a parser of its own when it is quickened", () => {
    const schema = z.strictObject({ name: z.string() });
    const before = schema.safeParse;
    expect(schema.safeParse).toBe(before);
    z.quicken(schema);
    expect(schema.safeParse).not.toBe(before);
    expect(schema.safeParse({ name: "x" }).data).toEqual({ name: "x" });
  });

  it("has the JSON Schema of zod's own", () => {
    const parameters = { io: "input" } as const;
    expect(z.toJSONSchema(build(z), parameters)).toEqual(zod.toJSONSchema(build(zod), parameters));
  });

  it("is an instance of its class, has its shape, and takes part in schemas that zod builds", () => {
    const schema = z.object({ a: z.string() });
    expect(schema).toBeInstanceOf(zod.ZodObject);
    expect(Object.keys(schema.shape)).toEqual(["a"]);
    expect(z.string().describe("text").meta()).toEqual({ description: "text" });
    expect(zod.object({ inner: schema }).safeParse({ inner: { a: 1 } }).success).toBe(false);
  });
});
