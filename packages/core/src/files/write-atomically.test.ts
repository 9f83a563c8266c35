import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createRedactor, type RedactedText } from "../redaction/redactor.js";
import { writeAtomically } from "./write-atomically.js";

const { redact } = createRedactor([]);
let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "kindlm-files-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("writeAtomically", () => {
  it("writes what the pieces are together, with the folders above, and leaves nothing else behind", async () => {
    const piece = fc.oneof(fc.string({ unit: "grapheme" }), fc.constant("é".repeat(40_000)));
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 6 }), fc.boolean(), async (pieces, isAsync) => {
        const file = path.join(folder, "new", "folder", "file");
        async function* later(): AsyncIterable<RedactedText> {
          yield* pieces.map(redact);
        }
        expect(await writeAtomically(file, "file", isAsync ? later() : pieces.map(redact))).toEqual({
          success: true,
          data: undefined,
        });
        expect(readFileSync(file, "utf8")).toBe(pieces.join(""));
        expect(readdirSync(path.dirname(file))).toEqual(["file"]);
      }),
      { numRuns: 30 },
    );
  });

  it("leaves what was there, and nothing beside it, where the pieces fail half way", async () => {
    const file = path.join(folder, "file");
    writeFileSync(file, "old");
    const seen: string[][] = [];
    async function* failing(): AsyncIterable<RedactedText> {
      yield redact("x".repeat(100_000));
      seen.push(readdirSync(folder));
      await Promise.reject(new Error("no more"));
    }
    expect(await writeAtomically(file, "shown/file", failing())).toMatchObject({
      success: false,
      error: {
        code: "STORE_WRITE_ERROR",
        message: "Cannot write shown/file: no more",
        details: { path: "shown/file" },
      },
    });
    expect(seen[0]).toHaveLength(2);
    expect(readdirSync(folder)).toEqual(["file"]);
    expect(readFileSync(file, "utf8")).toBe("old");
  });

  it.each([
    ["a file stands where a folder should", "EEXIST|ENOTDIR", () => writeFileSync(path.join(folder, "a"), "")],
    [
      "a folder stands where the file should",
      "EISDIR|ENOTEMPTY|EEXIST|EPERM",
      () => mkdirSync(path.join(folder, "a", "b", "c"), { recursive: true }),
    ],
  ])("says that it cannot write where %s", async (_name, systemCode, prepare) => {
    prepare();
    const written = await writeAtomically(path.join(folder, "a", "b"), "a/b", [redact("x")]);
    expect(written).toMatchObject({
      success: false,
      error: { code: "STORE_WRITE_ERROR", details: { path: "a/b", systemCode: expect.stringMatching(systemCode) } },
    });
    expect(readdirSync(folder, { recursive: true }).filter((name) => String(name).endsWith(".tmp"))).toEqual([]);
  });
});
