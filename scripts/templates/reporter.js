/** A reporter with one line per case. */
export const reporterTemplate = {
  folder: "packages/core/src/reporters",
  registry: { file: "packages/core/src/reporters/registry.ts", list: "formats" },
  member: ({ kebab, camel }) => ({ name: `${camel}Reporter`, from: `./${kebab}/${kebab}-reporter.js` }),
  next: ({ kebab }) => `Write what it renders in render-${kebab}.ts, then run: pnpm gen`,
  files: ({ kebab, camel, pascal }) => ({
    [`${kebab}/${kebab}-reporter.ts`]: `import { defineReporter } from "../define-reporter.js";

export const ${camel}Reporter = defineReporter({
  name: "${kebab}",
  summary: "One line per case",
  extension: "txt",
  format: "text",
  load: async () => (await import("./render-${kebab}.js")).render${pascal},
});
`,
    [`${kebab}/render-${kebab}.ts`]: `import type { RunResult } from "../../engine/run-result.js";
import type { RenderOptions } from "../define-reporter.js";

/** Whole lines, so that no secret is spread over two pieces. */
export async function* render${pascal}(result: RunResult, { redact }: RenderOptions): AsyncIterable<string> {
  for (const { tests } of result.suites) {
    for (const { status, id } of tests) yield \`\${status} \${redact(id)}\\n\`;
  }
}
`,
    [`${kebab}/${kebab}-reporter.test.ts`]: `import { expect, it } from "vitest";
import { threeSuites } from "../../__fixtures__/sample-run.js";
import { renderToString } from "../render-to-string.js";
import { ${camel}Reporter } from "./${kebab}-reporter.js";

it("renders a line for every case", async () => {
  const run = threeSuites();
  const rendered = await renderToString(${camel}Reporter, run);
  const lines = run.suites.flatMap(({ tests }) => tests.map(({ status, id }) => \`\${status} \${id}\\n\`));
  expect(rendered).toEqual({ success: true, data: lines.join("") });
});
`,
  }),
};
