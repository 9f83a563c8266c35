import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createSchemaLoader } from "./create-schema-loader.js";

describe("createSchemaLoader", () => {
  let folder = "";
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "kindlm-schema-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const write = async (name: string, text: string): Promise<string> => {
    const file = join(folder, name);
    await writeFile(file, text);
    return file;
  };

  it.each([
    ["order.json", '\ufeff{ "type": "string" }'],
    ["order.yaml", "type: string\n"],
    ["order.yml", "{ type: string }"],
    ["order.schema", '{ "type": "string" }'],
  ])("reads %s", async (name, text) => {
    const loaded = await createSchemaLoader()(await write(name, text));
    expect(loaded.success && loaded.data.validate(1)).toMatchObject([{ message: "must be of type string, but is 1" }]);
  });

  it("reads a file once per loader", async () => {
    const file = await write("a.json", "{}");
    const load = createSchemaLoader();
    const [first, second] = await Promise.all([load(file), load(file)]);
    await rm(file);
    expect(second).toBe(first);
    expect(await load(file)).toBe(first);
    expect((await createSchemaLoader()(file)).success).toBe(false);
  });

  it.each([
    ["broken.json", "{", /^Schema file .*broken\.json cannot be parsed: /],
    ["broken.yaml", "a: [", /^Schema file .*broken\.yaml cannot be parsed: /],
    ["list.json", "[]", /^Schema file .*list\.json holds no JSON Schema: an object or a boolean is expected$/],
    ["wrong.json", '{"type":"x"}', /^Schema file .*wrong\.json: The JSON Schema is not valid: type must be one of/],
  ])("names what is wrong with %s", async (name, text, message) => {
    const file = await write(name, text);
    const loaded = await createSchemaLoader()(file);
    expect(loaded).toMatchObject({ success: false, error: { code: "SCHEMA_FILE_ERROR", details: { path: file } } });
    expect(loaded.success ? "" : loaded.error.message).toMatch(message);
  });

  it("names a file that is missing or no file", async () => {
    const missing = join(folder, "none.json");
    expect(await createSchemaLoader()(missing)).toMatchObject({
      success: false,
      error: { code: "SCHEMA_FILE_ERROR", message: `Schema file not found: ${missing}`, details: { path: missing } },
    });
    const unreadable = await createSchemaLoader()(folder);
    expect(unreadable.success ? "" : unreadable.error.message).toContain("cannot be read");
  });
});
