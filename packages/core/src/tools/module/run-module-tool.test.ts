import { describe, expect, it } from "vitest";
import { ToolRegistry } from "./tool-registry.js";
import { pickTools } from "./run-module-tool.js";

const context = { signal: new AbortController().signal, workspace: null, emit: () => undefined };

/** As the classic interface of the KODE SDK has it. */
const greet = {
  name: "greet",
  description: "Greet a person by name",
  input_schema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
  prompt: "Use this tool to greet teammates by name.",
  hello: "Hello",
  async exec(args: { name: string }) {
    return `${this.hello}, ${args.name}!`;
  },
  toDescriptor: () => ({ source: "registered", name: "greet", registryId: "greet" }),
};

describe("a tool object of the KODE SDK", () => {
  it("is taken as it is, with its prompt", async () => {
    const picked = pickTools(greet, null);
    if (!picked.success) throw new Error(picked.error);
    const [tool] = picked.data;
    expect(tool).toMatchObject({
      name: "greet",
      description: "Greet a person by name",
      prompt: "Use this tool to greet teammates by name.",
      input_schema: greet.input_schema,
      attributes: { readonly: false, noEffect: false },
    });
    expect(await tool?.exec({ name: "Ada" }, context)).toBe("Hello, Ada!");
  });

  it.each([
    [{}, false, false],
    [{ attributes: { readonly: true, noEffect: true } }, true, true],
    [{ attributes: { readonly: true } }, true, false],
    [{ attributes: { access: "read", mutates: false } }, true, false],
    [{ attributes: { access: "write", mutates: true } }, false, false],
    [{ metadata: { safe: true } }, false, true],
    [{ toDescriptor: () => ({ metadata: { access: "read", mutates: false, safe: true } }) }, true, true],
    [{ attributes: {}, toDescriptor: () => ({ metadata: { access: "read" } }) }, false, false],
    [{ toDescriptor: () => null }, false, false],
    [{ attributes: { noEffect: false, safe: true } }, false, false],
    [{ attributes: { readonly: "yes" } }, false, false],
  ])("with %j", (more, readonly, noEffect) => {
    expect(pickTools({ ...greet, ...more }, null)).toMatchObject({ data: [{ attributes: { readonly, noEffect } }] });
  });

  it.each([
    [{ description: undefined, prompt: "Only this." }, undefined, "Only this."],
    [{ prompt: " " }, "Greet a person by name", undefined],
    [{ description: undefined, prompt: () => "made later" }, undefined, undefined],
  ])("with %o", (more, description, prompt) => {
    const picked = pickTools([{ ...greet, ...more }], "greet");
    expect(picked.success && picked.data[0]).toMatchObject({ name: "greet" });
    expect(picked.success && [picked.data[0]?.description, picked.data[0]?.prompt]).toEqual([description, prompt]);
  });

  it("is found in a registry, by its name", () => {
    const registry = new ToolRegistry();
    registry.register("greet", () => greet);
    registry.register("leave", () => ({ ...greet, name: "leave" }));
    expect([registry.has("greet"), registry.has("stay"), registry.create("stay")]).toEqual([true, false, undefined]);
    expect(pickTools(registry, null)).toMatchObject({ data: [{ name: "greet" }, { name: "leave" }] });
    expect(pickTools(registry, "leave")).toMatchObject({ data: [{ name: "leave" }] });
    expect(pickTools(registry, "stay")).toMatchObject({ error: expect.stringContaining('has no tool "stay"') });
    // As one of another program has it: each of its tools is made anew.
    const other = { list: () => ["greet"], create: (id: string) => ({ ...greet, name: id }) };
    expect(pickTools(other, null)).toMatchObject({ data: [{ name: "greet" }] });
    expect(pickTools({ ...other, create: () => undefined }, null)).toMatchObject({ success: false });
  });
});
