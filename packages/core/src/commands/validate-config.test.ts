import { describe, expect, it } from "vitest";
import { minimalConfig } from "../__fixtures__/config-project.js";
import { makeProject } from "../__fixtures__/make-project.js";
import { validateConfig } from "./validate-config.js";

describe("validateConfig", () => {
  it("reports everything in the order of the file: warnings and broken suites", async () => {
    const config = `${minimalConfig("assert: [{ type: contains, value: hi }]", "gates: { pass_rate: 0.9 }")}
  - name: broken
    tests: [{ name: t, input: x, assert: [{ type: contain, value: x }] }]
  - name: forbids
    tests: [{ name: t, input: x, assert: [{ type: tool_not_called, tool: refund }] }]
`;
    const cwd = makeProject({ "kindlm.yaml": config });
    const checked = await validateConfig({}, { env: {}, cwd });
    if (!checked.success) throw new Error(checked.error.message);
    expect(checked.data.diagnostics.map(({ severity, position }) => [severity, position?.line])).toEqual([
      ["warning", 3],
      ["error", 12],
      ["warning", 14],
    ]);
  });
});
