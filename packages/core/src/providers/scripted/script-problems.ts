import type { Matcher } from "../../matchers/matcher.js";
import type { SchemaProblem } from "../../schema-parts/schema-problem.js";

/** As much of a script as reachability depends on. */
interface Reachable {
  rules: readonly { when?: Readonly<Record<string, Matcher | undefined>> | undefined }[];
  otherwise?: unknown;
}

/** Steps that no request can reach, since the first rule that matches answers. */
export function scriptProblems(script: Reachable): SchemaProblem[] {
  const problems: SchemaProblem[] = [];
  const seen = new Map<string, number>();
  let catchAll: number | null = null;
  for (const [index, { when }] of script.rules.entries()) {
    const condition = conditionOf(when);
    const earlier = catchAll ?? seen.get(condition) ?? null;
    if (earlier !== null) {
      const reason = catchAll === null ? "asks for the same" : "matches every request";
      problems.push({
        path: ["rules", index],
        message: `Rule ${index + 1} can never answer: rule ${earlier + 1} ${reason}`,
        hint: "The first rule that matches answers; put the special ones first",
      });
    }
    if (earlier === null) seen.set(condition, index);
    if (condition === "{}") catchAll ??= index;
  }
  if (catchAll !== null && script.otherwise !== undefined) {
    const message = `"otherwise" can never answer: rule ${catchAll + 1} matches every request`;
    problems.push({ path: ["otherwise"], message });
  }
  return problems;
}

/** The condition as text, with its keys in one order, so that equal ones are equal. */
function conditionOf(when: Readonly<Record<string, Matcher | undefined>> | undefined): string {
  const sources = Object.entries(when ?? {}).flatMap(([key, matcher]) =>
    matcher === undefined ? [] : [[key, matcher.source] as const],
  );
  return JSON.stringify(Object.fromEntries(sources.toSorted(([a], [b]) => (a < b ? -1 : 1))));
}
