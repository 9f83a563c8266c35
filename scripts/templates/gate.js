/** A gate on the number of requests; figure, limit and words are to be replaced. */
export const gateTemplate = {
  folder: "packages/core/src/gates",
  registry: { file: "packages/core/src/gates/registry.ts", list: "gates" },
  member: ({ kebab, camel }) => ({ name: camel, from: `./${kebab}/${kebab}.js` }),
  next: ({ kebab }) => `Write what it limits in ${kebab}.ts, then run: pnpm gen`,
  files: ({ kebab, camel, snake }) => ({
    [`${kebab}/${kebab}.ts`]: `import * as z from "../../values/deferred-zod.js";
import { defineGate } from "../define-gate.js";
import { atMost } from "../gate-limit.js";

export const ${camel} = defineGate({
  name: "${snake}",
  keptAs: "${camel}",
  summary: "Most requests that it may take.",
  examples: [100],
  schema: z.int().min(0),
  readsFailures: "none",
  limitsOf: (most) => [atMost(most, "count", ({ requests }) => requests)],
});
`,
    [`${kebab}/${kebab}.test.ts`]: `import { expect, it } from "vitest";
import { threeSuites } from "../../__fixtures__/sample-run.js";
import { decideGates } from "../decide-gates.js";
import { gatesSchema } from "../gates-schema.js";
import { readGates } from "../read-gates.js";

it.each([
  ["as many requests as the limit", 0, true],
  ["one more request than the limit", 1, false],
])("%s", (_, excess, pass) => {
  const { summary, suiteSummaries } = threeSuites();
  const actual = summary.requests;
  const limit = actual - excess;
  const gates = readGates(gatesSchema.parse({ ${snake}: limit })) ?? {};
  expect(decideGates({ gates }, { summary, suiteSummaries })).toMatchObject([{ name: "${snake}", pass, limit, actual }]);
});
`,
  }),
};
