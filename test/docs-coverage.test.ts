import { expect, it } from "vitest";
import { commands } from "../packages/cli/src/commands/registry.js";
import { reporterNames } from "../packages/cli/src/reporters/registry.js";
import { assertionTypes } from "../packages/core/src/assertions/registry.js";
import { errorTable } from "../packages/core/src/errors/error-table.js";
import { gateDefinitions } from "../packages/core/src/gates/registry.js";
import { knownProviderNames } from "../packages/core/src/providers/registry.js";
import { targetKeys } from "../packages/core/src/targets/registry.js";
import { faultKinds } from "../packages/core/src/transcript/fired-fault.js";
import { blocksOf, pages, readPage, withoutCode } from "./support/docs/pages.js";

const commandNames = commands.flatMap((entry) =>
  // The default command of a group needs no name.
  "commands" in entry
    ? entry.commands.map(({ name }) => `kindlm ${entry.name}${name === entry.byDefault ? "" : ` ${name}`}`)
    : [`kindlm ${entry.name}`],
);

/** What people write, by the name of its family. */
const written: Readonly<Record<string, readonly string[]>> = {
  command: commandNames,
  assertion: assertionTypes,
  gate: gateDefinitions.map(({ name }) => name),
  fault: faultKinds,
  target: targetKeys,
  provider: knownProviderNames,
  reporter: reporterNames,
  error: Object.keys(errorTable),
};

const guides = pages.filter((page) => page.startsWith("docs/") && page !== "docs/benchmarks.md");

/** The code of all guides. The table of all gates is generated, so it explains none. */
const code = guides
  .flatMap((page) => {
    const prose = withoutCode(readPage(page).replace(/<!-- gates -->\n\n(?:\|.*\n)*/, ""));
    return [...blocksOf(page).map(({ text }) => text), ...(prose.match(/`[^`\n]+`/g) ?? [])];
  })
  .join("\n");

it.each(Object.entries(written))("each %s is in a guide", (_family, names) => {
  expect(names.length).toBeGreaterThan(3);
  const isThere = (name: string): boolean => new RegExp(String.raw`(?<![\w-])${name}(?![\w-])`).test(code);
  expect(names.filter((name) => !isThere(name))).toEqual([]);
});
