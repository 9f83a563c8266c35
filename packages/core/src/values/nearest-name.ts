import { distance } from "fastest-levenshtein";

/**
 * The known name that someone who typed `name` most likely meant; null when none is near. In a glob, `*` stands for any
 * text at no cost.
 */
export function nearestName(name: string, known: Iterable<string>): string | null {
  const wanted = fold(name);
  const isGlob = /[*?]/.test(name);
  let best: string | null = null;
  let bestDistance = tolerance(isGlob ? wanted.replaceAll(/[*?]/g, "").length : wanted.length) + 1;
  for (const candidate of known) {
    const steps = isGlob ? globDistance(wanted, fold(candidate)) : distance(wanted, fold(candidate));
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

/** The fewest letters to change in the glob before it matches. */
function globDistance(glob: string, name: string): number {
  // Steps to turn what of the glob was read so far into each beginning of the name.
  let steps = Array.from({ length: name.length + 1 }, (_, length) => length);
  for (const sign of glob) {
    const next = [sign === "*" ? (steps[0] ?? 0) : (steps[0] ?? 0) + 1];
    for (let length = 1; length <= name.length; length += 1) {
      const without = (steps[length] ?? 0) + (sign === "*" ? 0 : 1);
      const longer = (next[length - 1] ?? 0) + (sign === "*" ? 0 : 1);
      const fits = sign === "?" || sign === name[length - 1];
      next.push(Math.min(without, longer, (steps[length - 1] ?? 0) + (fits ? 0 : 1)));
    }
    steps = next;
  }
  return steps[name.length] ?? 0;
}

/** Two letters in the wrong order are two steps, and must be forgiven in all but the shortest names. */
function tolerance(length: number): number {
  return length <= 3 ? 1 : Math.max(2, Math.floor(length / 3));
}

/** `toolCalled`, `tool-called` and `Tool_Called` are the same slip. */
function fold(name: string): string {
  return name.toLowerCase().replaceAll(/[-_\s]/g, "");
}
