/** A command: what the help needs at once, and what it does in a file that is loaded when it is called. */
export const commandTemplate = {
  folder: "packages/cli/src/commands",
  registry: { file: "packages/cli/src/commands/registry.ts", list: "commands" },
  member: ({ kebab, camel }) => ({ name: `${camel}Command`, from: `./${kebab}/command.js` }),
  next: ({ kebab }) => `Write what it does in run-${kebab}-command.ts, then run: pnpm gen`,
  files: ({ kebab, camel, pascal }) => ({
    [`${kebab}/command.ts`]: `import type { CommandDefinition } from "../command-definition.js";

export const ${camel}Command: CommandDefinition = {
  name: "${kebab}",
  summary: "Print its arguments",
  examples: [["kindlm ${kebab} one two", "prints one two"]],
  configure: (command) => void command.argument("[words...]", "what to print"),
  load: async () => (await import("./run-${kebab}-command.js")).run${pascal}Command,
};
`,
    [`${kebab}/run-${kebab}-command.ts`]: `import type { Invocation } from "../command-definition.js";

export async function run${pascal}Command({ args, environment }: Invocation): Promise<number> {
  await environment.stdout.write(\`\${args.join(" ")}\\n\`);
  return 0;
}
`,
    [`${kebab}/${kebab}-command.test.ts`]: `import { expect, it } from "vitest";
import { fakeEnvironment } from "../../__fixtures__/fake-environment.js";
import { main } from "../../main.js";

it("prints its arguments", async () => {
  const environment = fakeEnvironment();
  expect(await main(["${kebab}", "one", "two"], environment)).toBe(0);
  expect(environment.stdout.text()).toBe("one two\\n");
});
`,
  }),
};
