import { expect, it } from "vitest";
import { draws } from "../packages/core/src/__fixtures__/draws.js";
import { adapterRows } from "./support/adapters/adapter-rows.js";
import { createAdapterFamily } from "./support/forbidden-calls/adapter-family.js";
import { createTranscriptFamily, transcriptForms } from "./support/forbidden-calls/transcript-family.js";
import { fuzzFamily } from "./support/forbidden-calls/fuzz-family.js";

it.each(adapterRows)("no reply of $name hides a forbidden call", async (row) => {
  const count = draws({ brief: 300, full: 120_000 });
  const { findings } = await fuzzFamily(createAdapterFamily(row), { seed: 1, draws: count });
  expect(findings).toEqual([]);
});

it.each(transcriptForms)("no transcript in the form of %s hides a forbidden call", async (form) => {
  const count = draws({ brief: 300, full: 120_000 });
  const { findings } = await fuzzFamily(createTranscriptFamily(form), { seed: 1, draws: count });
  expect(findings).toEqual([]);
});
