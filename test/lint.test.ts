import { execFile } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..");
const bad = "packages/core/src/bad.ts";
const badName = "packages/core/src/Bad_name.ts";
const long = "packages/core/src/long.ts";
const bin = "packages/cli/src/bin.ts";
const badTest = "packages/core/src/bad.test.ts";

const usesProcess = `export const home = process.env["HOME"];
export const pid = globalThis.process.pid;
`;

/** In two parts, because the word is refused here as well. */
const later = ["FIX", "ME"].join("");

const files = {
  [bad]: `import { pid as ownPid } from "node:process";
${usesProcess}
export async function work(): Promise<number> {
  await Promise.resolve();
  return ownPid;
}
export function misuse(value: any, kind: "x" | "y", text: string | null): number {
  console.log(value, Date.now(), Math.random());
  // @ts-ignore
  work();
  [1].map(async () => work()).forEach(async () => work());
  const length = text!.length as number;
  switch (kind) {
    case "x":
      return length;
  }
  return (value as { size: number }).size;
}
// ${later} go on here
export default misuse;
`,
  [badName]: "export const value = 1;\n",
  [long]: `${Array.from({ length: 251 }, (_, line) => `export const value${line} = 1;`).join("\n")}\n`,
  [bin]: usesProcess,
  [badTest]: `import { expect, it } from "vitest";
it.only("a", () => expect(1).toBeTruthy());
it.skip("b", () => expect(1).toBe(1));
it.todo("c");
`,
};

/** The type-aware linter does not start where Linux does not tell it which program it is. */
const canStart = process.platform !== "linux" || existsSync("/proc/self/exe");

it.for(canStart ? [] : ["the rules of the linter: /proc is missing"])(
  "cannot be tried here",
  async (what, { annotate }) => {
    await annotate(what, "untested");
  },
);

describe.each(canStart ? ["lint"] : [])("%s reports", () => {
  let folder = "";
  let reported: { code: string; filename: string }[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "kindlm-lint-"));
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    for (const name of [".oxlintrc.json", ".gitignore", "tsconfig.base.json"]) {
      copyFileSync(join(root, name), join(folder, name));
    }
    copyFileSync(join(root, "packages/core/tsconfig.json"), join(folder, "packages/core/tsconfig.json"));
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    const program = join(root, "node_modules/oxlint/bin/oxlint");
    const output = await new Promise<string>((done) => {
      execFile(process.execPath, [program, "--format", "json", "packages"], { cwd: folder }, (_, stdout) =>
        done(stdout),
      );
    });
    reported = (JSON.parse(output) as { diagnostics: typeof reported }).diagnostics;
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  const codesIn = (file: string): string[] =>
    reported.filter(({ filename }) => filename.endsWith(file)).map(({ code }) => code);

  it.each([
    [bad, "eslint(no-restricted-globals)"],
    [bad, "eslint(no-restricted-imports)"],
    [bad, "eslint(no-restricted-properties)"],
    [bad, "node(no-process-env)"],
    [bad, "eslint(no-console)"],
    [bad, "eslint(no-warning-comments)"],
    [bad, "import(no-default-export)"],
    [bad, "typescript(no-explicit-any)"],
    [bad, "typescript(no-non-null-assertion)"],
    [bad, "typescript(ban-ts-comment)"],
    [bad, "typescript(no-floating-promises)"],
    [bad, "typescript(no-misused-promises)"],
    [bad, "typescript(no-unnecessary-type-assertion)"],
    [bad, "typescript(no-unsafe-type-assertion)"],
    [bad, "typescript(switch-exhaustiveness-check)"],
    [badName, "unicorn(filename-case)"],
    [long, "eslint(max-lines)"],
    [badTest, "vitest(no-focused-tests)"],
    [badTest, "vitest(no-disabled-tests)"],
    [badTest, "vitest(warn-todo)"],
    [badTest, "vitest(no-restricted-matchers)"],
  ])("%s for %s", (file, code) => {
    expect(codesIn(file)).toContain(code);
  });

  it("nothing about process in bin.ts", () => {
    // The types of Node.js are not installed there, which is all that may be reported.
    expect(codesIn(bin).filter((code) => !code.startsWith("typescript(no-unsafe-"))).toEqual([]);
  });
});
