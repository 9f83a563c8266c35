import { distance } from "fastest-levenshtein";

/** The known name that someone who typed `name` most likely meant; null when none is near. */
export function nearestName(name: string, known: Iterable<string>): string | null {
  const wanted = fold(name);
  let best: string | null = null;
  let bestDistance = tolerance(wanted.length) + 1;
  for (const candidate of known) {
    const steps = distance(wanted, fold(candidate));
    if (steps < bestDistance) {
      best = candidate;
      bestDistance = steps;
    }
  }
  return best;
}

/** `Did you mean "x"?`, or undefined when no name is near. */
export function didYouMean(name: string, known: Iterable<string>): string | undefined {
  const nearest = nearestName(name, known);
  return nearest === null ? undefined : `Did you mean "${nearest}"?`;
}

/** Two letters in the wrong order are two steps, and must be forgiven in all but the shortest names. */
function tolerance(length: number): number {
  return length <= 3 ? 1 : Math.max(2, Math.floor(length / 3));
}

/** `toolCalled`, `tool-called` and `Tool_Called` are the same slip. */
function fold(name: string): string {
  return name.toLowerCase().replaceAll(/[-_\s]/g, "");
}
