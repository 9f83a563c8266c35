import type { AssertionResult, KindlmError, TestResult, TrialResult } from "@kindlm/core";
import { decidingAssertion, failingAssertions, maskFor, preview, redactValue, withCounts } from "@kindlm/core/program";
import { agentWords } from "./agent-words.js";
import { answerWords } from "./answer-words.js";
import { callWords } from "./call-words.js";
import { mcpWords } from "./mcp-words.js";
import { cutValue, longestValue, withoutValues, type FailureWords, type Wording } from "./failure-words.js";

/** Why a trial failed: its first failing assertion. */
export interface Failure extends FailureWords {
  /** Equal for failures of the same kind. */
  key: string;
  /** Null if no assertion failed by itself, as with a threshold. */
  assertion: { type: string; id: string | null; userTurn: number | null } | null;
}

/** Puts the failure of a trial into words. `trial` is null if its conversation is lost. */
export function describeFailure(
  trial: Pick<TrialResult, "assertions"> | null,
  redact: (text: string) => string,
): Failure {
  if (trial === null) {
    const title = "The conversation of the case is not in the journal";
    return { key: "lost", assertion: null, title, reason: "its conversation is not in the journal" };
  }
  const first = decidingAssertion(trial.assertions);
  if (first === undefined) {
    const reason = "the weighted score is below the threshold";
    return { key: "threshold", assertion: null, title: "The weighted score is below the threshold", reason };
  }
  const mask = maskFor(trial.assertions, redact);
  const show = (value: unknown): string => preview(redactValue(value, mask), longestValue);
  const text = (value: unknown): string =>
    typeof value === "string" ? cutValue(mask(value).replaceAll(/\s+/g, " ").trim()) : show(value);
  const deciding = decidingPart(first);
  const words = wordsFor(deciding, { mask, show, text });
  const { type, id = null } = deciding;
  const userTurn = deciding.userTurn ?? first.userTurn ?? null;
  const key = JSON.stringify([type, id, userTurn, words.tool, words.path, words.sort]);
  const { reason } = words;
  const others = failingAssertions(trial.assertions).length - 1;
  const more = others === 0 ? "" : withCounts` and ${others} more`;
  return { ...words, reason: `${reason}${more}`, key, assertion: { type, id, userTurn } };
}

/** Of a group whose members must all pass, the first that did not: it says more than its group. */
function decidingPart(result: AssertionResult): AssertionResult {
  if (result.type !== "all_of") return result;
  const [first] = failingAssertions(result.parts ?? []);
  return first === undefined ? result : decidingPart(first);
}

const opposite = "Expected the opposite, but ";

function wordsFor(result: AssertionResult, wording: Wording): FailureWords {
  const { type, message } = result;
  if (result.error !== undefined) return plainWords(`The check ${type} could not be evaluated`, message, wording);
  if (message.startsWith(opposite)) {
    const said = wording.text(message.slice(opposite.length));
    return { title: `The opposite is expected: ${said}`, sort: `not ${withoutValues(message)}`, reason: said };
  }
  // An uploaded run without its transcripts has no values, and without its messages no words either.
  const hasValues = ["expected", "actual", "parts", "judge"].some((key) => key in result);
  if (!hasValues && message === "") return { title: `Assertion ${type} failed`, reason: `${type} failed` };
  const describe = callWords[type] ?? agentWords[type] ?? mcpWords[type] ?? (hasValues ? answerWords[type] : undefined);
  return describe?.(result, wording) ?? plainWords(null, message, wording);
}

/** Words before a colon that make a sentence by themselves: what follows them are its details. */
const statement = /^([A-Z][^:"]*? [^:"]*? [^:"]*? [^:"]*?): (.+)$/s;

/** What an assertion says itself, where nobody knows more of it: of users' checks, and of plugins. */
function plainWords(title: string | null, message: string, { mask }: Wording): FailureWords {
  const line = mask(message).split("\n", 1)[0]?.trim() ?? "";
  const reason = cutValue(line);
  if (title !== null) return { title, note: reason, reason };
  const [, said = line, note] = statement.exec(line) ?? [];
  return {
    title: cutValue(said),
    ...(note === undefined ? {} : { note: cutValue(note) }),
    sort: withoutValues(said),
    reason,
  };
}

/** Why a case did not pass, in a few words for one line; empty for one that passed. `trial` shows why it failed. */
export function shortReason(
  test: TestResult,
  trial: Pick<TrialResult, "assertions"> | null,
  redact: (text: string) => string,
): string {
  switch (test.status) {
    case "passed":
      return "";
    case "skipped":
      return cutValue(redact(test.reason));
    case "failed":
      return describeFailure(trial, redact).reason;
    case "errored":
      return shortError(test.error, redact);
  }
}

const errorWords: { [C in KindlmError["code"]]?: string } = {
  PROVIDER_AUTH_ERROR: "key missing or refused",
  PROVIDER_RATE_LIMIT: "rate limit (429)",
  PROVIDER_TIMEOUT: "timed out",
  PROVIDER_NETWORK_ERROR: "no connection",
  PROVIDER_CIRCUIT_OPEN: "circuit open",
  ENGINE_ABORTED: "interrupted",
};

/** An error in a few words for one line, such as `openai: rate limit (429)`. */
function shortError({ code, message, details }: KindlmError, redact: (text: string) => string): string {
  const provider = details !== undefined && "provider" in details ? details.provider : undefined;
  const words = errorWords[code] ?? cutValue(redact(message).split("\n", 1)[0] ?? "");
  return typeof provider === "string" && code in errorWords ? `${redact(provider.toLowerCase())}: ${words}` : words;
}
