import { matchValue, type AssertionResult } from "@kindlm/core";
import { wrongValue } from "./wrong-value.js";
import { withoutValues, type Describe, type FailureWords, type Wording } from "./failure-words.js";

/** Words for the assertions about the answer, for those about figures of the trial, and for groups, by their type. */
export const answerWords: Readonly<Record<string, Describe>> = {
  contains: (result, wording) => aboutText(result, "The answer does not contain", "the expected text", wording),
  not_contains: (result, wording) =>
    aboutFound(result, "The answer contains", /not to contain (.*), but it says/s, wording),
  starts_with: (result, wording) => aboutText(result, "The answer does not start with", "the expected text", wording),
  equals: (result, wording) => aboutText(result, "The answer is not", "the expected one", wording),
  matches: ({ expected, actual }, wording) => ({
    title: `The answer does not match ${wording.text(expected)}`,
    general: "The answer does not match its regular expression",
    columns: answerColumn(actual, wording),
    reason: `no match of ${wording.text(expected)}`,
  }),
  keywords_present: (result, wording) => aboutText(result, "The answer lacks", "keywords", wording),
  keywords_absent: (result, wording) =>
    aboutFound(
      result,
      "The answer has the forbidden",
      /(?:not to have|to lack one of) the (keywords? .*), but it is/s,
      wording,
    ),
  json: describeJson,
  schema: ({ message, actual }, wording) =>
    message.startsWith("Expected the answer to be JSON")
      ? notJson(actual, wording)
      : {
          title: wording.text(message.replace(/ \(and \d+ more\)$/, "")),
          general: "The answer breaks its schema",
          sort: withoutValues(message),
          columns: answerColumn(actual, wording),
          reason: wording.text(message.replace("The answer breaks its schema: ", "")),
        },
  no_pii({ actual }, wording) {
    const found = Array.isArray(actual) ? actual.map(String) : [];
    const kinds = [...new Set(found.map((one) => one.slice(0, one.lastIndexOf(": "))))];
    const [first = "personal data"] = kinds;
    const what = personalData[first] ?? `personal data: ${wording.mask(first)}`;
    return {
      title: `The answer contains ${what}`,
      sort: first,
      columns: { found: wording.text(found.join(", ")) },
      reason: `contains ${wording.text(found[0] ?? "personal data")}`,
    };
  },
  refuses: ({ actual }, wording) => aboutAnswer("The agent does not refuse", actual, wording),
  does_not_refuse: ({ actual }, wording) =>
    typeof actual === "string" && actual.trim() === ""
      ? { ...aboutAnswer("The answer is empty", actual, wording), sort: "empty" }
      : aboutAnswer("The agent refuses", actual, wording),
  stdout({ expected, actual }, wording) {
    const wrong = wrongValue(expected, actual, wording);
    const columns = { stdout: wording.text(actual), expected: wrong.words.columns["expected"] ?? "" };
    return {
      title: "The output of the program is wrong",
      sort: wrong.words.sort,
      columns,
      reason: `stdout is ${wording.show(actual)}`,
    };
  },
  length: describeBounds,
  latency: describeBounds,
  cost: describeBounds,
  tokens: describeBounds,
  turns: describeBounds,
  judge: describeJudge,
  similar: describeSimilar,
  drift({ actual, score }, wording) {
    const columns = { distance: rounded(1 - score), ...answerColumn(actual, wording) };
    const reason = `${rounded(1 - score)} away from the baseline`;
    return { title: "The answer is too far from that of the baseline", columns, reason };
  },
  finish_reason: ({ expected, actual }, wording) =>
    aboutValue("The finish reason", wording.show(actual), wording.show(expected)),
  served_by({ expected, actual }, wording) {
    const names = Array.isArray(actual) ? actual.map(wording.text).join(", ") : wording.text(actual);
    const title = `Another model than ${wording.text(expected)} answered`;
    return {
      title,
      general: "Another model answered",
      columns: { "answered by": names },
      reason: `answered by ${names}`,
    };
  },
  exit_code: ({ expected, actual }, wording) =>
    aboutValue("The exit code", wording.show(actual), wording.show(expected)),
  conversation_ended: ({ expected, actual }, wording) =>
    aboutValue(
      "The end of the conversation",
      wording.text(actual),
      Array.isArray(expected) ? expected.map(wording.text).join(" or ") : wording.text(expected),
    ),
  any_of: (result, wording) => describeGroup(result, wording, (of) => `None of ${of} alternatives holds`),
  at_least: (result, wording) => describeGroup(result, wording, (of) => `Too few of ${of} checks hold`),
};

const personalData: Readonly<Record<string, string>> = {
  ssn: "a social security number",
  card: "a card number",
  email: "an email address",
  phone: "a phone number",
  iban: "an IBAN",
};

function answerColumn(actual: unknown, { text }: Wording): { answer: string } {
  const answer = text(actual);
  return { answer: answer === "" ? "(empty)" : answer };
}

function aboutAnswer(title: string, actual: unknown, wording: Wording): FailureWords {
  return { title, columns: answerColumn(actual, wording), reason: `${title.charAt(0).toLowerCase()}${title.slice(1)}` };
}

/** The answer is not as one of the wanted strings wants it. */
function aboutText(
  { expected, actual }: AssertionResult,
  title: string,
  what: string,
  wording: Wording,
): FailureWords | null {
  if (expected === undefined) return null;
  const wanted = (Array.isArray(expected) ? expected : [expected]).map((one) => wording.show(one)).join(", ");
  return {
    title: `${title} ${wanted}`,
    general: `${title} ${what}`,
    columns: answerColumn(actual, wording),
    reason: `${title.charAt(0).toLowerCase()}${title.slice(1)} ${wanted}`,
  };
}

/** The answer holds what it must not; the message names what. */
function aboutFound(
  { message, actual }: AssertionResult,
  title: string,
  pattern: RegExp,
  wording: Wording,
): FailureWords {
  const [, found = ""] = pattern.exec(message) ?? [];
  const what = found === "" ? "text" : wording.text(found);
  const reason = `${title.charAt(0).toLowerCase()}${title.slice(1)} ${what}`;
  return { title: `${title} ${what}`, general: `${title} text`, columns: answerColumn(actual, wording), reason };
}

function notJson(actual: unknown, wording: Wording): FailureWords {
  return {
    title: "The answer is not JSON",
    sort: "text",
    columns: answerColumn(actual, wording),
    reason: "the answer is not JSON",
  };
}

function describeJson({ message, expected, actual }: AssertionResult, wording: Wording): FailureWords | null {
  if (message.startsWith("Expected the answer to be JSON")) return notJson(actual, wording);
  const [, missing] = /^Expected the answer to have (.+?), but it is/s.exec(message) ?? [];
  if (missing !== undefined) {
    const path = wording.text(missing);
    return {
      title: `The JSON answer has no ${path}`,
      path,
      sort: "missing",
      columns: answerColumn(actual, wording),
      reason: `no ${path}`,
    };
  }
  const [, place = ""] = /^Expected (.+?) to match /s.exec(message) ?? [];
  if (matchValue(expected, actual).pass) return null;
  const base = place === "the answer" ? "" : wording.text(place);
  const wrong = wrongValue(expected, actual, wording);
  const path =
    [base, ...(wrong.noun === "value" ? [] : [wrong.noun])].filter((part) => part !== "").join(".") || "value";
  const { [wrong.noun]: found = "–", expected: wanted = "" } = wrong.words.columns;
  const reason = wrong.isAbsent ? `${path} missing, expected ${wanted}` : `${path} ${found}, expected ${wanted}`;
  const title = wrong.isAbsent ? `The JSON answer has no ${path}` : `The JSON answer has the wrong ${path}`;
  return { title, path, sort: wrong.words.sort, columns: { [path]: found, expected: wanted }, reason };
}

function aboutValue(name: string, actual: string, expected: string): FailureWords {
  const reason = `${name.replace(/^The /, "")} ${actual}, expected ${expected}`;
  return {
    title: `${name} is ${actual}, expected ${expected}`,
    general: `${name} is wrong`,
    columns: { found: actual, expected },
    reason,
  };
}

function describeBounds({ type, message }: AssertionResult, wording: Wording): FailureWords | null {
  const found = /^Expected the (.+?) to be (at most|at least|exactly|from) (.+), but it is (.+)$/.exec(message);
  if (found === null) return null;
  const [, name = "", word = "", limit = "", actual = ""] = found.map((part) => wording.text(part));
  const relation = { "at most": "above", "at least": "below", exactly: "not", from: "not from" }[word] ?? "not";
  return {
    title: `The ${name} is ${relation} ${limit}`,
    general: `The ${name} is out of its bounds`,
    path: name,
    sort: word,
    columns: { [type]: actual, expected: `${word} ${limit}` },
    reason: `${name} ${actual}, expected ${word} ${limit}`,
  };
}

function describeJudge({ id, score, judge, message }: AssertionResult, wording: Wording): FailureWords | null {
  if (judge === undefined) return null;
  const { threshold, votes } = judge;
  const [, criteria = ""] = /^Expected at least [\d.]+ for (".*?"), but the judge /s.exec(message) ?? [];
  const about = criteria === "" ? "" : `: ${wording.text(criteria)}`;
  const models = [...new Set(votes.map(({ model }) => wording.mask(model)))].join(", ");
  const samples = votes.length === 1 ? "" : `, median of ${votes.map((vote) => rounded(vote.score)).join(", ")}`;
  const said = votes.toSorted((a, b) => Math.abs(a.score - score) - Math.abs(b.score - score))[0]?.reasoning ?? "";
  return {
    title: `The judge gives ${rounded(score)}, needs ${rounded(threshold)}${about}`,
    general: `The judge gives less than ${rounded(threshold)}${about}`,
    // What is judged is the check itself, not one of its values.
    sort: id === undefined ? criteria : "",
    note: `judge ${models}${samples}`,
    columns: { score: rounded(score), "the judge says": wording.text(said) },
    reason: `judge ${rounded(score)}, needs ${rounded(threshold)}`,
  };
}

function describeSimilar({ score, actual, message }: AssertionResult, wording: Wording): FailureWords {
  const [, method = "", threshold = ""] = /^Expected .*? \((.+?) at least ([\d.]+)\), but it is/.exec(message) ?? [];
  return {
    title: "The answer is not similar enough to the reference",
    sort: method,
    ...(method === "" ? {} : { note: `${wording.text(method)} ${rounded(score)}, needs ${threshold}` }),
    columns: { score: rounded(score), ...answerColumn(actual, wording) },
    reason: `similarity ${rounded(score)}${threshold === "" ? "" : `, needs ${threshold}`}`,
  };
}

function describeGroup({ parts = [] }: AssertionResult, wording: Wording, title: (of: number) => string): FailureWords {
  const counted = parts.filter(({ skipped }) => skipped !== true);
  const failed = counted.filter(({ pass }) => !pass);
  const names = failed.map(({ id, type }) => wording.text(id ?? type)).join(", ");
  const reason = `${counted.length - failed.length} of ${counted.length} checks hold`;
  return { title: title(counted.length), sort: names, note: `not: ${names}`, reason };
}

function rounded(score: number): string {
  return String(Math.round(score * 1_000) / 1_000);
}
