import { expect, it } from "vitest";
import { parseMatcher } from "../../matchers/parse-matcher.js";
import { scriptProblems } from "./script-problems.js";

function matcher(raw: unknown) {
  const parsed = parseMatcher(raw);
  if (!parsed.success) throw new Error("not a matcher");
  return parsed.data;
}

const hi = { user: matcher("hi") };

it("finds nothing in a script in which every rule can answer", () => {
  const rules = [{ when: hi }, { when: { user: matcher("hi"), turn: matcher(2) } }, { when: { turn: matcher(1) } }];
  expect(scriptProblems({ rules: [...rules, {}] })).toEqual([]);
  expect(scriptProblems({ rules, otherwise: {} })).toEqual([]);
});

it("finds rules and otherwise behind a rule that matches everything", () => {
  expect(scriptProblems({ rules: [{ when: {} }, { when: hi }, {}], otherwise: {} })).toMatchObject([
    { path: ["rules", 1], message: "Rule 2 can never answer: rule 1 matches every request" },
    { path: ["rules", 2], message: "Rule 3 can never answer: rule 1 matches every request" },
    { path: ["otherwise"], message: '"otherwise" can never answer: rule 1 matches every request' },
  ]);
});

it("finds a condition that was asked before, whatever the order of its keys", () => {
  const rules = [
    { when: { turn: matcher(1), user: matcher({ $contains: "x" }) } },
    { when: { user: matcher({ $contains: "x" }), turn: matcher(1) } },
  ];
  expect(scriptProblems({ rules })).toMatchObject([
    { path: ["rules", 1], message: "Rule 2 can never answer: rule 1 asks for the same" },
  ]);
});
