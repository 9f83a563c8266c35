import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { CaseDocument } from "../case-document.js";
import { packCases } from "./pack-cases.js";

const identity = { suite: "s", name: "a", row: null, model: "m", prompt: null, fault: null, tags: [] };

/** Text that does not compress. */
function noise(length: number): string {
  let state = 1;
  return Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return String.fromCodePoint(33 + (state % 90));
  }).join("");
}

const small = (id: string): CaseDocument => ({
  ...identity,
  id,
  critical: false,
  allowFailure: false,
  status: "skipped",
});
const large = (id: string): CaseDocument => ({ ...small(id), transcripts: [{ output: noise(9_000) }] });

async function pack(cases: readonly CaseDocument[], limits = { bytes: 4_000, cases: 3 }) {
  async function* given(): AsyncIterable<CaseDocument> {
    yield* cases;
  }
  const parts: { ids: readonly string[]; lines: readonly unknown[]; shortened: readonly string[] }[] = [];
  for await (const packed of packCases(given(), limits)) {
    if (!packed.success) return packed.error;
    const { bytes, cases: inside, shortened } = packed.data;
    expect(bytes.length).toBeLessThanOrEqual(limits.bytes);
    const lines = gunzipSync(bytes)
      .toString("utf8")
      .trimEnd()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
    expect(lines).toEqual(inside);
    parts.push({ ids: inside.map(({ id }) => id), lines, shortened });
  }
  return parts;
}

describe("packCases", () => {
  it("fills parts up to their number of cases", async () => {
    const ids = ["a", "b", "c", "d", "e", "f", "g"];
    expect(await pack(ids.map(small))).toMatchObject([
      { ids: ["a", "b", "c"] },
      { ids: ["d", "e", "f"] },
      { ids: ["g"] },
    ]);
    expect(await pack([])).toEqual([]);
  });

  it("divides what is too large, and sends a case without its transcript at last", async () => {
    const [one, two, three] = ["one", "two", "three"].map((id) => ({
      ...small(id),
      transcripts: [{ output: noise(2_800) }],
    }));
    if (one === undefined || two === undefined || three === undefined) throw new Error("no case");
    // The noise is the same in each, so that they compress well together.
    expect(await pack([one, two, three])).toMatchObject([{ ids: ["one", "two", "three"], shortened: [] }]);
    const parts = await pack([small("a"), large("b"), small("c")]);
    expect(parts).toMatchObject([
      { ids: ["a"], shortened: [] },
      { ids: ["b"], shortened: ["b"], lines: [small("b")] },
      { ids: ["c"], shortened: [] },
    ]);
  });

  it("fails for a case that is too large by itself", async () => {
    const error = await pack([{ ...small("a"), name: noise(9_000) }]);
    expect(error).toMatchObject({ code: "CLOUD_UPLOAD_ERROR", message: expect.stringContaining("Case a") as string });
  });
});
