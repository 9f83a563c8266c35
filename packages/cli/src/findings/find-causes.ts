import type { KindlmError, RunResult, TestResult } from "@kindlm/core";
import { casesOf } from "@kindlm/core/program";
import type { DigestOptions } from "../errors/digest-diagnostics.js";
import { explainDigested } from "../errors/explain-error.js";
import { withoutValues } from "./failure-words.js";

/** Why cases are errored, and what fixes it. Text is masked, and not yet escaped for where it is shown. */
export interface ErrorCause {
  /** From 1, in the order of the causes. */
  number: number;
  /** What happened, as the first case has it. */
  title: string;
  /** What to do, a line each; may be empty. */
  fix: readonly string[];
  /** Of the first case. */
  error: KindlmError;
  /** In the order of the config. */
  cases: readonly TestResult[];
}

/**
 * Errored cases by cause, the most cases first: one dead provider is one cause, however many cases it took. Errors are
 * alike if they say the same about the same provider and model with other figures, such as the seconds to wait.
 */
export function findCauses(
  { suites }: Pick<RunResult, "suites">,
  { redact, digest }: { redact: (text: string) => string; digest?: DigestOptions },
): readonly ErrorCause[] {
  const groups = new Map<string, { error: KindlmError; cases: TestResult[] }>();
  for (const test of casesOf(suites)) {
    if (test.status !== "errored") continue;
    const key = keyOf(test.error);
    const group = groups.get(key) ?? { error: test.error, cases: [] };
    group.cases.push(test);
    groups.set(key, group);
  }
  return [...groups.values()]
    .toSorted((a, b) => b.cases.length - a.cases.length)
    .map(({ error, cases }, index) => {
      const lines = explainDigested(error, { verbose: false, ...(digest === undefined ? {} : { digest }) });
      const [first] = lines;
      const others = lines.slice(1).flatMap(({ title, fix }) => (fix === undefined ? [title] : [title, fix]));
      const fix = [...(first?.fix?.split("\n") ?? []), ...others];
      return { number: index + 1, title: redact(first?.title ?? error.message), fix: fix.map(redact), error, cases };
    });
}

const telling = ["provider", "model", "status", "exitCode", "systemCode", "kind", "judge"];

function keyOf({ code, message, details }: KindlmError): string {
  const known: Readonly<Record<string, unknown>> = { ...details };
  return JSON.stringify([code, withoutValues(message), telling.map((key) => known[key])]);
}
