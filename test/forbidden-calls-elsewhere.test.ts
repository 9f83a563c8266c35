import { expect, it } from "vitest";
import { draws } from "../packages/core/src/__fixtures__/draws.js";
import { adapterRows } from "./support/adapters/adapter-rows.js";
import { createArgumentsFamily } from "./support/forbidden-calls/arguments-family.js";
import { fuzzFamily } from "./support/forbidden-calls/fuzz-family.js";
import { createMcpFamily } from "./support/forbidden-calls/mcp-family.js";
import { createTranscriptFamily, transcriptForms } from "./support/forbidden-calls/transcript-family.js";

const count = draws({ brief: 60, full: 100_000 });
/** Arguments that are looked at with care, and a connection for each trial, take longer. */
const slowCount = draws({ brief: 30, full: 100_000 });
/** One writes arguments as text, the other as an object. */
const rows = adapterRows.filter(({ name }) => name === "openai" || name === "anthropic");

it.each(transcriptForms)("no transcript in the form of %s hides a forbidden call", async (form) => {
  const { findings } = await fuzzFamily(createTranscriptFamily(form), { seed: 1, draws: count });
  expect(findings).toEqual([]);
});

it.each(rows)("no arguments of a call of $name hide it", async (row) => {
  const { findings } = await fuzzFamily(createArgumentsFamily(row), { seed: 1, draws: slowCount });
  expect(findings).toEqual([]);
});

it.each(rows.slice(0, 1))("nothing that an MCP server says hides a call of its tools", async (row) => {
  const { findings } = await fuzzFamily(createMcpFamily(row), { seed: 1, draws: slowCount });
  expect(findings).toEqual([]);
});
