/** A command: what the help needs at once, and what it does in a file that is loaded when it is called. */
export const commandTemplate = {
  folder: "packages/cli/src/commands",
  registry: { file: "packages/cli/src/commands/registry.ts", list: "commands" },
  member: ({ kebab, camel }) => ({
    name: `${camel}Command`,
    from: `./${kebab}/command.js`,
    entry: `command(${camel}Command, () => import("./${kebab}/execute.js"))`,
  }),
  next: ({ kebab }) => `Write what it does in ${kebab}/execute.ts, then run: pnpm gen`,
  files: ({ kebab, camel }) => ({
    [`${kebab}/command.ts`]: `import { defineCommand } from "../command-definition.js";
import { toggle } from "../flag.js";

export const ${camel}Command = defineCommand({
  name: "${kebab}",
  summary: "Print the arguments",
  examples: [["kindlm ${kebab} one two", "Print one two"]],
  args: { "[words...]": "Words to print" },
  flags: { loud: toggle("Print in capitals") },
});
`,
    [`${kebab}/execute.ts`]: `import type { InvocationOf } from "../command-definition.js";
import type { ${camel}Command } from "./command.js";

export async function execute({ args, flags, environment }: InvocationOf<typeof ${camel}Command>): Promise<number> {
  const line = args.join(" ");
  await environment.stdout.write(\`\${flags.loud ? line.toUpperCase() : line}\\n\`);
  return 0;
}
`,
    [`${kebab}/${kebab}-command.test.ts`]: `import { expect, it } from "vitest";
import { fakeEnvironment } from "../../__fixtures__/fake-environment.js";
import { main } from "../../main.js";

it("prints its arguments", async () => {
  const environment = fakeEnvironment();
  expect(await main(["${kebab}", "one", "two", "--loud"], environment)).toBe(0);
  expect(environment.stdout.text()).toBe("ONE TWO\\n");
});
`,
  }),
};
