import { createRedactor } from "@kindlm/core";
import { lstat, mkdtemp, readdir, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFileSinks } from "./create-file-sinks.js";

const secret = 'a"b-secret';
const sinks = createFileSinks(createRedactor([secret, "123456789"]));
let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "kindlm-sinks-"));
});
afterEach(() => rm(folder, { recursive: true }));

async function* inPieces(pieces: readonly string[]): AsyncIterable<string> {
  yield* pieces;
}

describe("createFileSinks", () => {
  it.each([
    ["text", `it is ${secret}\n`, "it is [redacted]\n"],
    ["json", '{"a":"a\\"b-secret","pin":123456789}\n', '{"a":"[redacted]","pin":"[redacted]"}\n'],
    ["markup", '<a b="a&quot;b-secret"/>\n', '<a b="[redacted]"/>\n'],
  ] as const)("writes no secret into a file of %s", async (format, text, expected) => {
    const path = join(folder, "new", "file");
    expect(await sinks.write(path, "new/file", inPieces([text]), format)).toMatchObject({ success: true });
    expect(await readFile(path, "utf8")).toBe(expected);
  });

  it.each([
    ["text", ["it is a", '"b-se', "cret\nand ", "that"], "it is [redacted]\nand that"],
    ["json", ['{"a":[\n', '"a\\"b-secret",\n123456789]}'], '{"a":[\n"[redacted]",\n"[redacted]"]}'],
  ] as const)("writes no secret into a file of %s that comes in pieces", async (format, pieces, expected) => {
    const path = join(folder, "new", "file");
    await symlink(join(folder, "target"), join(folder, "link"));
    await sinks.create(join(folder, "target"), "old");
    for (const to of [path, join(folder, "link")]) {
      expect(await sinks.write(to, "file", inPieces(pieces), format)).toMatchObject({ success: true });
      expect(await readFile(to, "utf8")).toBe(expected);
    }
    expect((await lstat(join(folder, "link"))).isSymbolicLink()).toBe(true);
    expect(await readdir(folder)).toEqual(["link", "new", "target"]);
  });

  it("leaves the old file where the pieces fail", async () => {
    const path = join(folder, "file");
    await sinks.create(path, "old");
    async function* failing(): AsyncIterable<string> {
      yield "new\n";
      await Promise.reject(new Error("the source is gone"));
    }
    expect(await sinks.write(path, "file", failing(), "json")).toMatchObject({
      success: false,
      error: { code: "STORE_WRITE_ERROR", message: "Cannot write file: the source is gone" },
    });
    expect(await readFile(path, "utf8")).toBe("old");
    expect(await readdir(folder)).toEqual(["file"]);
  });

  it("says which file it cannot write, and why", async () => {
    await sinks.create(join(folder, "file"), secret);
    expect(await readFile(join(folder, "file"), "utf8")).toBe("[redacted]");
    await expect(sinks.create(join(folder, "file"), "again")).rejects.toThrow("EEXIST");
    expect(await sinks.write(join(folder, "file", "below"), "file/below", inPieces(["x"]), "text")).toMatchObject({
      success: false,
      error: { code: "STORE_WRITE_ERROR", details: { path: "file/below" } },
    });
  });

  it("writes no secret into a file that grows by lines, and says why one cannot grow", async () => {
    const path = join(folder, "new", "lines.jsonl");
    const lines = sinks.openLines(path);
    for (const value of [{ a: secret }, { pin: 123_456_789 }]) lines.write(JSON.stringify(value));
    expect(await lines.close()).toBeNull();
    expect(await readFile(path, "utf8")).toBe('{"a":"[redacted]"}\n{"pin":"[redacted]"}\n');
    const lost = sinks.openLines(join(path, "below"));
    lost.write("{}");
    expect(await lost.close()).toContain("lines.jsonl");
  });
});
