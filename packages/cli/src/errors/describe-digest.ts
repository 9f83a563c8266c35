import type { SourcePosition } from "@kindlm/core";
import { plural, withCounts } from "@kindlm/core/program";
import type { DiagnosticTally, DigestedDiagnostic, DigestOptions } from "./digest-diagnostics.js";
import type { ErrorExplanation } from "./error-messages.js";

/** The others are in the list that shows every one. */
const mostPlaces = 5;
const mostFiles = 3;

/** Where else the same is wrong, such as `and at 999 more places: lines 18, 27, 36, 45, 54, …`; empty for nowhere. */
export function describeRepeats({ position, repeats }: DigestedDiagnostic): string {
  if (repeats === undefined) return "";
  const { times, places } = repeats;
  if (places.length === 0) return `and ${plural(times, "more time")}${position === undefined ? "" : " at this place"}`;
  const files = new Set([position, ...places].map((place) => place?.file)).size;
  const more = `${plural(places.length, "more place")}${files > 1 ? withCounts` in ${files} files` : ""}`;
  const where = places.length === times ? `at ${more}` : `${plural(times, "more time")}, at this place and ${more}`;
  return `and ${where}: ${listPlaces(places, position?.file)}`;
}

/** Some of the places, by their lines: the first ones in the file that was named already, and one in each other file. */
function listPlaces(places: readonly SourcePosition[], namedFile: string | undefined): string {
  const lines = new Set<number>();
  const others = new Map<string, string>();
  for (const { file, line } of places) {
    if (file === namedFile) lines.add(line);
    else if (!others.has(file)) others.set(file, `${file}:${line}`);
  }
  const shownLines = [...lines].slice(0, mostPlaces - Math.min(mostFiles, others.size));
  const named = [...shownLines, ...others.values()].slice(0, mostPlaces);
  const label = shownLines.length === 0 ? "" : shownLines.length === 1 ? "line " : "lines ";
  const isAll = new Set(places.map(({ file, line }) => `${file}:${line}`)).size === named.length;
  return `${label}${named.join(", ")}${isAll ? "" : ", …"}`;
}

/** How many there are in all, such as `1,000 errors in kindlm.yaml, 1 kind`, and how to see every one. */
export function describeTally(
  { errors, warnings, kinds, files, leftOut }: DiagnosticTally,
  { all, showAll }: DigestOptions = {},
): ErrorExplanation {
  const [file, ...others] = files;
  const where = file === undefined ? "" : ` in ${others.length === 0 ? file : plural(files.length, "file")}`;
  const ofKinds = kinds < errors + warnings ? `, ${plural(kinds, "kind")}` : "";
  const title = `${countsOf({ errors, warnings })}${where}${ofKinds}`;
  if (all === true) return { title };
  const hidden = leftOut.errors + leftOut.warnings;
  const ofHiddenKinds = leftOut.kinds < hidden ? ` of ${plural(leftOut.kinds, "kind")}` : "";
  const rest = hidden === 0 ? "" : `; ${countsOf(leftOut)}${ofHiddenKinds} ${hidden === 1 ? "is" : "are"} not shown`;
  return { title: `${title}${rest}`, ...(showAll === undefined ? {} : { fix: `Show all with ${showAll}` }) };
}

function countsOf({ errors, warnings }: Pick<DiagnosticTally, "errors" | "warnings">): string {
  if (warnings === 0) return plural(errors, "error");
  return errors === 0 ? plural(warnings, "warning") : `${plural(errors, "error")} and ${plural(warnings, "warning")}`;
}
