/** An assertion that looks at the final answer; options, check and words are to be replaced. */
export const assertionTemplate = {
  folder: "packages/core/src/assertions",
  registry: { file: "packages/core/src/assertions/registry.ts", list: "assertionDefinitions" },
  member: ({ kebab, camel }) => ({ name: camel, from: `./${kebab}/${kebab}.js` }),
  next: ({ kebab }) => `Write the check in ${kebab}.ts, then run: pnpm gen`,
  files: ({ kebab, camel, snake }) => ({
    [`${kebab}/${kebab}.ts`]: `import * as z from "zod";
import { success } from "../../result.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { preview } from "../../values/preview.js";
import { missingField } from "../assertion-failure.js";
import { defineAssertion } from "../define-assertion.js";

export const ${camel} = defineAssertion({
  type: "${snake}",
  summary: "The final answer is the text.",
  example: "{ type: ${snake}, value: hello }",
  kind: "deterministic",
  options: strictObject({ value: z.string().min(1).describe("The text.") }),
  evaluate({ value }, trial) {
    if (trial.output === undefined) return missingField("${snake}", "output");
    const pass = trial.output === value;
    const message = pass
      ? \`The answer is \${preview(value)}\`
      : \`Expected the answer to be \${preview(value)}, but it is \${preview(trial.output)}\`;
    return success({ pass, score: pass ? 1 : 0, message, expected: value, actual: trial.output });
  },
});
`,
    [`${kebab}/${kebab}.test.ts`]: `import { expect, it } from "vitest";
import { evaluateWritten } from "../../__fixtures__/evaluate-written.js";

it.each([
  ["hello", true],
  ["goodbye", false],
])("answers %s with pass: %s", async (output, pass) => {
  const result = await evaluateWritten({ type: "${snake}", value: "hello" }, { output });
  expect(result).toMatchObject({ success: true, data: { pass, score: pass ? 1 : 0 } });
});
`,
  }),
};
