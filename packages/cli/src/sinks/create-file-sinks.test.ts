import { createRedactor } from "@kindlm/core";
import { mkdtemp, readFile, rm } from "node:fs/promises";
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

describe("createFileSinks", () => {
  it.each([
    ["text", `it is ${secret}\n`, "it is [redacted]\n"],
    ["json", '{"a":"a\\"b-secret","pin":123456789}\n', '{"a":"[redacted]","pin":"[redacted]"}\n'],
    ["markup", '<a b="a&quot;b-secret"/>\n', '<a b="[redacted]"/>\n'],
  ] as const)("writes no secret into a file of %s", async (format, text, expected) => {
    const path = join(folder, "new", "file");
    expect(await sinks.write(path, "new/file", text, format)).toMatchObject({ success: true });
    expect(await readFile(path, "utf8")).toBe(expected);
  });

  it("says which file it can not write, and why", async () => {
    await sinks.create(join(folder, "file"), secret);
    expect(await readFile(join(folder, "file"), "utf8")).toBe("[redacted]");
    await expect(sinks.create(join(folder, "file"), "again")).rejects.toThrow("EEXIST");
    expect(await sinks.write(join(folder, "file", "below"), "file/below", "x", "text")).toMatchObject({
      success: false,
      error: { code: "STORE_WRITE_ERROR", details: { path: "file/below" } },
    });
  });

  it("writes no secret into a file that grows by lines, and says why one can not grow", async () => {
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
