import { describe, expect, it } from "vitest";
import { locate, type Path } from "../source/written.js";
import { locateLiterals } from "./locate-literals.js";

const source = `import { defineConfig } from "@kindlm/core";
// { suites: [] } in a comment, and in a string:
const text = "{ suites: [1] }" + \`\${{ suites: 1 }.suites} { suites\` + /[{"]suites/.source;
const other = { a: { "suites x": 1 } };
export default defineConfig(async ({ env }) => ({
  version: 1,
  "x-note": { method() { return { suites: 2 }; }, env, ...other, [text]: 1 },
  suites: [
    { name: "one", tests: [{ name: "a", input: \`x\${1}}\` }] as const },
    { name: 'two', tests: rows.map((row) => ({ name: row })) },
    ...more,
    { name: "three" },
  ] satisfies unknown[],
}));
`;

const textAt = (path: Path, atKey = false): string => {
  const written = locateLiterals(source);
  if (written === null) return "nothing";
  const { start, end } = locate(written, path, atKey);
  return source.slice(start, end);
};

describe("the places of a config in a module", () => {
  it("are those of its literals, and of the expressions that compute the rest", () => {
    expect(textAt(["version"], true)).toBe("version");
    expect(textAt(["version"])).toBe("1");
    expect(textAt(["x-note", "env"])).toBe("env");
    expect(textAt(["suites", 0, "name"])).toBe('"one"');
    expect(textAt(["suites", 0, "tests", 0, "input"])).toBe("`x${1}}`");
    expect(textAt(["suites", 1, "tests", 3, "name"])).toBe("rows.map((row) => ({ name: row }))");
    expect(textAt(["suites", 1, "nothing"])).toBe("{ name: 'two', tests: rows.map((row) => ({ name: row })) }");
    expect(textAt(["suites", 3, "name"])).toBe("[");
  });

  it.each([
    "",
    "export default make();",
    "{ suites",
    "const a = { suites };{",
    "`${",
    "/* {",
    "'{ suites: [",
    "[{(suites",
  ])("ends with %s", (text) => {
    expect(() => locateLiterals(text)).not.toThrow();
  });
});
