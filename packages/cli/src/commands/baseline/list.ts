import { plural, visibleLine, withCounts } from "@kindlm/core/program";
import { listBaselines, type BaselineListing } from "@kindlm/core/commands/baselines";
import { explainError } from "../../errors/explain-error.js";
import type { AsTyped } from "../../arguments/as-typed.js";
import { given } from "../given.js";
import { printAnswer, printError } from "../print-answer.js";
import type { InvocationOf } from "../command-definition.js";
import type { listCommand } from "./command.js";
import { reportedError } from "./reported-error.js";

/** Exit code 1 if a baseline is damaged. */
export async function execute(invocation: InvocationOf<typeof listCommand>): Promise<number> {
  const { flags, global, environment } = invocation;
  const listed = await listBaselines({ paths: global.config, ...given({ root: flags.root }) }, environment.core);
  if (!listed.success) return printError(invocation, listed.error);
  const data = listed.data.map(({ problem, ...listing }) => ({ ...listing, problem: reportedError(problem) }));
  const isBad = listed.data.some(({ problem }) => problem !== null);
  return printAnswer(invocation, { data, text: renderListings(listed.data, environment.asTyped) }, isBad ? 1 : 0);
}

/** One line per baseline. */
function renderListings(listings: readonly BaselineListing[], asTyped: AsTyped): string {
  if (listings.length === 0) return `No baselines saved yet. Save one: ${asTyped("kindlm baseline set")}\n`;
  return `${listings.map((listing) => renderListing(listing, asTyped)).join("\n")}\n`;
}

function renderListing({ suite, file, header, cases, failing, problem }: BaselineListing, asTyped: AsTyped): string {
  if (problem !== null) {
    const explained = explainError(problem, false);
    return explained
      .map(({ title, fix = "" }) => `✗ ${visibleLine(title)}${fix === "" ? "" : `\n  ${asTyped(fix)}`}`)
      .join("\n");
  }
  const facts = [
    `${plural(cases, "case")}${failing === 0 ? "" : withCounts`, ${failing} failing`}`,
    ...(header === null ? [] : originOf(header)),
    file,
  ];
  return `${visibleLine(suite)}: ${facts.map(visibleLine).join(", ")}`;
}

function originOf({ setAt, commit, note }: NonNullable<BaselineListing["header"]>): readonly string[] {
  return [
    `set ${setAt.slice(0, 16).replace("T", " ")}`,
    ...(commit === null ? [] : [`commit ${commit.slice(0, 10)}`]),
    ...(note === undefined ? [] : [note]),
  ];
}
