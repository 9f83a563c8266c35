import { matcherSchema } from "../../matchers/matcher-schema.js";
import type { Matcher } from "../../matchers/matcher.js";
import { compileRegex, type SafeRegex } from "../../matchers/safe-regex.js";
import { success, type Result } from "../../result.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import * as z from "../../values/deferred-zod.js";
import { parseJson } from "../../values/parse-json.js";
import { preview } from "../../values/preview.js";
import { evalError, missingField } from "../assertion-failure.js";
import type { AssertionOutcome } from "../assertion-result.js";
import { defineAssertion } from "../define-assertion.js";

type PlaceCheck = { kind: "exists" } | { kind: "absent" } | { kind: "unchanged" };

type TextCheck =
  | { kind: "equals" | "contains"; value: string }
  | { kind: "matches"; source: string; regex: SafeRegex }
  | { kind: "json"; matcher: Matcher };

const type = "file";
const mostBytes = 10_000_000;
const kinds = ["exists", "absent", "unchanged", "equals", "contains", "matches", "json"] as const;

export const file = defineAssertion<{ path: string; check: PlaceCheck | TextCheck }>({
  type,
  summary: "A file of the workspace is as the agent should leave it.",
  example: "{ type: file, path: src/sum.js, contains: a + b }",
  kind: "deterministic",
  spansUserTurns: true,
  options: strictObject({
    path: z.string().min(1).describe("Path of the file, relative to the workspace."),
    exists: z.literal(true).optional().describe("There is such a file; the default."),
    absent: z.literal(true).optional().describe("There is no such file."),
    unchanged: z.literal(true).optional().describe("The agent did not change it."),
    equals: z.string().optional().describe("Its whole text."),
    contains: z.string().min(1).optional().describe("Text that occurs in it."),
    matches: z
      .string()
      .min(1)
      .optional()
      .describe("A JavaScript regular expression that is found in it; ^ and $ match at line breaks, too."),
    json: matcherSchema.optional().describe("It is JSON that matches this matcher."),
  }).transform((written, context) => {
    const [kind = "exists", other] = kinds.filter((one) => written[one] !== undefined);
    if (other !== undefined) {
      const message = `"${kind}" and "${other}" cannot be combined\nWrite two assertions`;
      context.addIssue({ code: "custom", path: [other], message, params: { atKey: true } });
      return z.NEVER;
    }
    const { path, equals = "", contains = "", matches = "", json: matcher } = written;
    if (kind === "json" && matcher !== undefined) return { path, check: { kind, matcher } };
    if (kind === "equals") return { path, check: { kind, value: equals } };
    if (kind === "contains") return { path, check: { kind, value: contains } };
    if (kind !== "matches") return { path, check: { kind: kind === "json" ? "exists" : kind } };
    const regex = compileRegex(matches, "m");
    if (regex.success) return { path, check: { kind, source: matches, regex: regex.data } };
    context.addIssue({ code: "custom", path: ["matches"], message: regex.error });
    return z.NEVER;
  }),
  async evaluate({ path, check }, { workspace: record }, { workspace }) {
    if (record === undefined) return missingField(type, "workspace");
    const claim = claimOf(path);
    if (check.kind === "unchanged") {
      const change = record.changes.find((one) => one.path === path && one.isExternal !== true);
      if (change === undefined && record.truncated === true)
        return evalError(type, "There are too many changes to tell");
      return decide(change === undefined, claim("is unchanged", "be unchanged"), `it was ${change?.change ?? ""}`);
    }
    if (workspace === undefined) return evalError(type, "The files of the trial are not there, only what changed");
    const opened = await workspace.open();
    if (!opened.success) return evalError(type, opened.error.message);
    const { boundary } = opened.data;
    const located = await boundary.locate(path);
    if (!located.success) return evalError(type, located.error.message);
    const isThere = located.data.stats?.isFile() === true;
    if (check.kind === "absent") return decide(!isThere, claim("is absent", "be absent"), "it exists");
    if (check.kind === "exists" || !isThere) return decide(isThere, claim("exists", "exist"), "it does not");
    if ((located.data.stats?.size ?? 0) > mostBytes) return evalError(type, `File "${path}" is larger than 10 MB`);
    const read = await boundary.read(located.data, mostBytes);
    if (!read.success) return evalError(type, read.error.message);
    return compare(claim, read.data.toString("utf8"), check);
  },
});

interface Claim {
  holds: string;
  /** What it is a failure of. */
  wish: string;
}

/** What is said of a file: `contains "a"` if it is so, and `contain "a"` if it was to be. */
const claimOf =
  (path: string) =>
  (verb: string, infinitive: string, what = ""): Claim => ({
    holds: `File "${path}" ${verb}${what === "" ? "" : ` ${what}`}`,
    wish: `file "${path}" to ${infinitive}${what === "" ? "" : ` ${what}`}`,
  });

function compare(claim: ReturnType<typeof claimOf>, text: string, check: TextCheck): Result<AssertionOutcome> {
  const is = `it is ${preview(text)}`;
  switch (check.kind) {
    case "equals":
      return decide(text === check.value, claim("is", "be", preview(check.value)), is, [check.value, text]);
    case "contains": {
      const wanted = claim("contains", "contain", preview(check.value));
      return decide(text.includes(check.value), wanted, is, [check.value, text]);
    }
    case "matches": {
      const wanted = claim("matches", "match", `/${check.source}/`);
      return decide(check.regex.test(text), wanted, is, [check.source, text]);
    }
    case "json": {
      const parsed = parseJson(text);
      if (!parsed.success) return decide(false, claim("is JSON", "be JSON"), is);
      const matched = check.matcher.match(parsed.data);
      const [first] = matched.pass ? [] : matched.mismatches;
      const where = first === undefined ? "" : `${first.path === "" ? "it" : first.path} is ${preview(first.actual)}`;
      const values = [check.matcher.source, parsed.data] as const;
      return decide(matched.pass, claim("matches", "match", preview(check.matcher.source)), where, values);
    }
  }
}

/** The message of a failure is what was expected, and what is there instead. */
function decide(
  pass: boolean,
  { holds, wish }: Claim,
  instead: string,
  values?: readonly [expected: unknown, actual: unknown],
): Result<AssertionOutcome> {
  if (pass) return success({ pass, score: 1, message: holds });
  return success({
    pass,
    score: 0,
    message: `Expected ${wish}, but ${instead}`,
    ...(values === undefined ? {} : { expected: values[0], actual: values[1] }),
  });
}
