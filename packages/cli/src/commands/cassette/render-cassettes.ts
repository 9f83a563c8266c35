import { visibleLine, type CassetteCheck, type CassetteListing, type PrunedCassette } from "@kindlm/core";

/** One line per file. */
export function renderListings(files: readonly CassetteListing[]): string {
  if (files.length === 0) return "No cassettes. Record some: kindlm test --cassette record\n";
  const lines = files.map(({ file, cases, trials, exchanges, toolCalls, bytes, models, problem }) => {
    if (problem !== null) return `${visibleLine(file)}: cannot be read: ${visibleLine(problem)}`;
    const counts = [
      plural(cases, "case"),
      plural(trials, "trial"),
      plural(exchanges, "exchange"),
      ...(toolCalls === 0 ? [] : [plural(toolCalls, "tool call")]),
      renderSize(bytes),
      ...models.map(visibleLine),
    ];
    return `${visibleLine(file)}: ${counts.join(", ")}`;
  });
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return `${[...lines, `${plural(files.length, "file")}, ${renderSize(bytes)}`].join("\n")}\n`;
}

/** One line per problem. */
export function renderChecks(checks: readonly CassetteCheck[]): string {
  const lines = checks.flatMap(({ file, problems }) =>
    problems.map(({ line, message }) => `${visibleLine(file)}:${line}: ${visibleLine(message)}`),
  );
  const counts = `${plural(checks.length, "file")}, ${plural(lines.length, "problem")}`;
  return `${[...lines, counts].join("\n")}\n`;
}

/** One line per file that loses something. */
export function renderPruned(files: readonly PrunedCassette[], isDryRun: boolean): string {
  const would = isDryRun ? "would lose" : "lost";
  const lines = files.map(({ file, isRemoved, cases, trials, entries }) => {
    const named = [...cases, ...trials.map((one) => `trial ${one.trial} of ${one.case}`)];
    const what = isRemoved ? (isDryRun ? "would be removed" : "removed") : `${would} ${plural(entries, "recording")}`;
    return `${visibleLine(file)}: ${what} (${named.map(visibleLine).join(", ")})`;
  });
  return `${[...lines, lines.length === 0 ? "Nothing to take out" : plural(lines.length, "file")].join("\n")}\n`;
}

function renderSize(bytes: number): string {
  return bytes < 1_024 ? `${bytes} B` : `${Math.round(bytes / 1_024)} KiB`;
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}
