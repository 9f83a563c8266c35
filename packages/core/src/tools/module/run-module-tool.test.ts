import { describe, expect, it } from "vitest";
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
  it("is taken as it is, and its prompt follows the description", async () => {
    const picked = pickTools(greet, null);
    if (!picked.success) throw new Error(picked.error);
    const [tool] = picked.data;
    expect(tool).toMatchObject({
      name: "greet",
      description: "Greet a person by name\n\nUse this tool to greet teammates by name.",
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
    [{ attributes: { noEffect: false, safe: true } }, false, false],
    [{ attributes: { readonly: "yes" } }, false, false],
  ])("with %j", (more, readonly, noEffect) => {
    expect(pickTools({ ...greet, ...more }, null)).toMatchObject({ data: [{ attributes: { readonly, noEffect } }] });
  });

  it.each([
    [{ description: undefined, prompt: "Only this." }, "Only this."],
    [{ prompt: " " }, "Greet a person by name"],
    [{ description: undefined, prompt: () => "made later" }, undefined],
  ])("with %o", (more, description) => {
    const picked = pickTools([{ ...greet, ...more }], "greet");
    expect(picked.success && picked.data[0]?.description).toBe(description);
  });
});
