import {
  renderDuration,
  visibleLine,
  type BaselineEntry,
  type BaselineListing,
  type ShownBaseline,
} from "@kindlm/core";
import { explainError } from "../../explain-error.js";

/** One line per baseline. */
export function renderListings(listings: readonly BaselineListing[]): string {
  if (listings.length === 0) return "There is no baseline yet. Run: kindlm baseline set\n";
  return `${listings.map(renderListing).join("\n")}\n`;
}

function renderListing({ suite, file, header, cases, failing, problem }: BaselineListing): string {
  if (problem !== null) {
    const explained = explainError(problem, false);
    return explained
      .map(({ title, fix = "" }) => `✗ ${visibleLine(title)}${fix === "" ? "" : `\n  ${fix}`}`)
      .join("\n");
  }
  const facts = [
    `${cases} case${cases === 1 ? "" : "s"}${failing === 0 ? "" : `, ${failing} failing`}`,
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

/** The header, then the cases with what they came to. */
export function renderShown({ file, header, cases }: ShownBaseline): string {
  const facts = [
    ["file", file],
    ["set", header.setAt],
    ["run", header.runId],
    ["commit", header.commit ?? "none"],
    ["kindlm", header.kindlm],
    ["note", header.note ?? ""],
  ] as const;
  return `${[
    `Baseline of ${visibleLine(header.suite)}`,
    ...facts.filter(([, text]) => text !== "").map(([name, text]) => `  ${name.padEnd(6)} ${visibleLine(text)}`),
    "",
    ...cases.flatMap(renderEntry),
  ].join("\n")}\n`;
}

function renderEntry(entry: BaselineEntry): readonly string[] {
  const { caseId, passes, trials, isPassed, calls, latencyMs, costUsd, servedBy, output } = entry;
  const measures = [
    renderDuration(latencyMs),
    costUsd === null ? "cost unknown" : `$${Number(costUsd.toFixed(6))}`,
    ...(servedBy === null ? [] : [servedBy]),
    ...(entry.deterministic === true ? ["without noise"] : []),
  ];
  return [
    `${isPassed ? "✓" : "✗"} ${visibleLine(caseId)} ${passes}/${trials} (${measures.map(visibleLine).join(", ")})`,
    ...calls.map((call) => `    ${visibleLine(call)}`),
    ...(output === undefined ? [] : [`    answer: ${visibleLine(output)}`]),
  ];
}
