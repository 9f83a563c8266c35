import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { createExportLoader } from "./create-export-loader.js";
import type { ImportModule } from "./import-module.js";

const missing = Object.assign(new Error("Cannot find package 'jiti'"), { code: "ERR_MODULE_NOT_FOUND" });

/** Stands for an installation without jiti, in which Node.js itself answers as given. */
function withoutJiti(native: () => unknown): { importModule: ImportModule; asked: string[] } {
  const asked: string[] = [];
  const importModule: ImportModule = async (specifier) => {
    asked.push(specifier);
    if (specifier === "jiti") throw missing;
    return native();
  };
  return { importModule, asked };
}

describe("createExportLoader", () => {
  it("takes the jiti of the project that the module belongs to", async () => {
    const folder = await mkdtemp(join(tmpdir(), "kindlm-jiti-"));
    await mkdir(join(folder, "node_modules", "jiti"), { recursive: true });
    const own = join(folder, "node_modules", "jiti", "index.js");
    await writeFile(own, "");
    const { importModule, asked } = withoutJiti(() => ({ a: 1 }));
    await createExportLoader(importModule)(join(folder, "x.ts"), "a");
    expect(asked[0]).toBe(pathToFileURL(await realpath(own)).href);
    await rm(folder, { recursive: true });
  });

  it("loads each module once", async () => {
    const { importModule, asked } = withoutJiti(() => ({ a: 1, b: 2 }));
    const load = createExportLoader(importModule, () => "jiti");
    expect(await Promise.all([load("/p/x.mjs", "a"), load("/p/x.mjs", "b")])).toEqual([
      { success: true, data: 1 },
      { success: true, data: 2 },
    ]);
    expect(asked).toEqual([pathToFileURL("/p/x.mjs").href]);
  });

  it.each(["ts", "mts", "cts"])("loads .%s through Node.js where jiti is not installed", async (extension) => {
    const { importModule, asked } = withoutJiti(() => ({ a: 1 }));
    expect(await createExportLoader(importModule, () => "jiti")(`/p/x.${extension}`, "a")).toEqual({
      success: true,
      data: 1,
    });
    expect(asked).toEqual(["jiti", `file:///p/x.${extension}`]);
  });

  it.each([
    "ERR_UNKNOWN_FILE_EXTENSION",
    "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX",
    "ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING",
  ])("names the one command when Node.js refuses TypeScript with %s", async (code) => {
    const { importModule } = withoutJiti(() => {
      throw Object.assign(new Error("refused"), { code });
    });
    expect(await createExportLoader(importModule, () => "jiti")("/p/x.ts", "a")).toMatchObject({
      success: false,
      error: { message: expect.stringMatching(/Run: npm install --save-dev jiti$/), cause: { code } },
    });
  });

  it("reports the module's own error when Node.js takes its TypeScript", async () => {
    const { importModule } = withoutJiti(() => {
      throw new Error("x is not defined");
    });
    expect(await createExportLoader(importModule, () => "jiti")("/p/x.ts", "a")).toMatchObject({
      success: false,
      error: { message: "/p/x.ts cannot be loaded: x is not defined" },
    });
  });

  it("loads TypeScript that needs more than stripping, with imports of its own, through jiti", async () => {
    const folder = await mkdtemp(join(tmpdir(), "kindlm-jiti-"));
    await writeFile(join(folder, "words.ts"), "export enum Word { Hi = 'hi' }");
    await writeFile(
      join(folder, "main.ts"),
      "import { Word } from './words';\nexport default Word.Hi;\nexport const named: string = Word.Hi;",
    );
    // What the test runner imports it compiles itself, so Node.js must be seen to refuse.
    const load = createExportLoader(
      async (specifier) => {
        if (specifier === "jiti") return createRequire(import.meta.url)("jiti") as unknown;
        throw Object.assign(new Error(`No loader for ${specifier}`), { code: "ERR_UNKNOWN_FILE_EXTENSION" });
      },
      () => "jiti",
    );
    expect(await load(join(folder, "main.ts"), "named")).toEqual({ success: true, data: "hi" });
    expect(await load(join(folder, "main.ts"), "default")).toEqual({ success: true, data: "hi" });
    await rm(folder, { recursive: true });
  });
});
