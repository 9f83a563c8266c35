import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { evaluateWritten } from "../../__fixtures__/evaluate-written.js";

const order = { type: "object", properties: { id: { type: "integer" }, at: { format: "date" } }, required: ["id"] };
let cwd = "";

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "kindlm-schema-"));
  await writeFile(join(cwd, "order.json"), JSON.stringify(order));
  await writeFile(join(cwd, "broken.json"), '{"type": "objekt"}');
});
afterAll(() => rm(cwd, { recursive: true }));

const evaluate = (config: Record<string, unknown>, output: string) =>
  evaluateWritten({ type: "schema", ...config }, { output }, { cwd });

describe("schema", () => {
  it.each([
    [{ schema_file: "order.json" }, '{"id": 1}', true, "The answer is valid by its schema"],
    [{ schemaFile: "./order.json" }, '```\n{"id": 1}\n```', true, "The answer is valid by its schema"],
    [
      { schema: order },
      '{"id": 1, "at": "2024-02-30"}',
      false,
      'The answer breaks its schema: at must be a valid date, but is "2024-02-30"',
    ],
    [{ schema: order }, '{"id": "x"}', false, 'The answer breaks its schema: id must be of type integer, but is "x"'],
    [{ schema: order }, "[]", false, "The answer breaks its schema: it must be of type object, but is []"],
    [{ schema: false }, "1", false, "The answer breaks its schema: it must not be there"],
    [{ schema: true }, "1", true, ""],
    [{ schema: order }, "sorry", false, "Expected the answer to be JSON"],
    [{ schema: order, strict: true }, '```\n{"id": 1}\n```', false, "it is in a code fence"],
  ])("%j on %j: %s", async (config, output, pass, words) => {
    const result = await evaluate(config, output);
    expect(result).toMatchObject({ success: true, data: { pass, score: pass ? 1 : 0 } });
    expect(result.success && result.data.message).toContain(words);
  });

  it.each([
    [{ schema_file: "none.json" }, "SCHEMA_FILE_ERROR"],
    [{ schema_file: "broken.json" }, "SCHEMA_FILE_ERROR"],
    [{ schema: { type: "objekt" } }, "SCHEMA_FILE_ERROR"],
    [{}, "CONFIG_VALIDATION_ERROR"],
    [{ schema_file: "order.json", schema: true }, "CONFIG_VALIDATION_ERROR"],
  ])("%j is an error: %s", async (config, code) => {
    expect(await evaluate(config, "{}")).toMatchObject({ success: false, error: { code } });
  });
});
