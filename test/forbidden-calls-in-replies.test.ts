import { expect, it } from "vitest";
import { draws } from "../packages/core/src/__fixtures__/draws.js";
import { parseJson } from "../packages/core/src/values/parse-json.js";
import { adapterRows } from "./support/adapters/adapter-rows.js";
import { createAdapterFamily, type AdapterFamily } from "./support/forbidden-calls/adapter-family.js";
import { fuzzFamily } from "./support/forbidden-calls/fuzz-family.js";

const count = draws({ brief: 60, full: 100_000 });

it.each(adapterRows)("no reply of $name hides a forbidden call", async (row) => {
  const { findings } = await fuzzFamily(createAdapterFamily(row), { seed: 1, draws: count });
  expect(findings).toEqual([]);
});

/** Loses the blocks of an answer whose type it does not know, before anybody sees them. */
function forgetting(family: AdapterFamily): AdapterFamily {
  const known = new Set(["text", "tool_use"]);
  return {
    ...family,
    judge(chunks, isStream) {
      const text = Buffer.concat(chunks).toString("utf8");
      const parsed = parseJson(text);
      if (isStream || !parsed.success) return family.judge(chunks, isStream);
      const body = parsed.data as { content?: unknown };
      const blocks: readonly { type?: string }[] = Array.isArray(body.content) ? body.content : [];
      const content = blocks.filter((block) => known.has(block?.type ?? ""));
      return family.judge([Buffer.from(JSON.stringify({ ...body, content }))], isStream);
    },
  };
}

it("finds an adapter that overlooks calls of unknown types, and shows it with the smallest reply", async () => {
  const row = adapterRows.find(({ name }) => name === "anthropic");
  const families = row === undefined ? [] : [forgetting(createAdapterFamily(row))];
  const reports = await Promise.all(
    families.map((family) => fuzzFamily(family, { seed: 1, draws: 300, mostFindings: 1 })),
  );
  expect(reports).toMatchObject([
    {
      findings: [
        {
          family: "anthropic",
          seed: 1,
          isStream: false,
          problem: expect.stringContaining("tool_not_called"),
          steps: ["another type"],
        },
      ],
    },
  ]);
  const [reply = ""] = reports[0]?.findings[0]?.reply ?? [];
  expect(Object.keys(JSON.parse(reply) as object)).toEqual(["content"]);
});
