import { describe, expect, it } from "vitest";
import { emptyCassette, type Entry, type ExchangeLine } from "./cassette-lines.js";
import { missedCall, missedRequest, countDifferences, findDifference } from "./explain-miss.js";
import fc from "fast-check";

const asker = { caseId: "s/t@m", trial: 1, file: ".kindlm/cassettes/s/t.jsonl" };
const body = (system: string, user: string) => ({ messages: [{ content: system }, { content: user }] });
const requestOf = (key: string, system: string, user: string) => ({
  request: key,
  provider: "openai",
  model: "gpt",
  body: body(system, user),
});

function cassetteOf(recorded: readonly [key: string, caseId: string, trial: number, system: string, user: string][]) {
  const content = emptyCassette("s", "t");
  for (const [key, caseId, trial, system, user] of recorded) {
    const line: ExchangeLine = { exchange: key, case: caseId, trial, n: 1, turn: 1, attempt: 1, ms: 1 };
    content.requests.set(key, requestOf(key, system, user));
    const trials = content.cases.get(caseId) ?? new Map<number, Entry[]>();
    content.cases.set(caseId, trials.set(trial, [...(trials.get(trial) ?? []), line]));
  }
  return content;
}

describe("a miss", () => {
  it("names the recording with the fewest differences, and the first of them", () => {
    const content = cassetteOf([
      ["k1", "s/t@m", 1, "other", "other"],
      ["k2", "s/t[x]@m", 3, "You help.", "hello"],
    ]);
    expect(missedRequest(requestOf("k9", "You help.", "hi"), asker, content)).toMatchObject({
      code: "PROVIDER_CASSETTE_MISS",
      message:
        "No recording of this request to openai (gpt): the nearest, turn 1 of trial 3 of s/t[x]@m, differs at " +
        'body.messages[1].content: recorded "hello", now "hi"',
      details: { nearest: "turn 1 of trial 3 of s/t[x]@m", differsAt: "body.messages[1].content", sent: false },
    });
  });

  it("prefers the same trial, then the same case, among equals", () => {
    const all = cassetteOf([
      ["k1", "s/t[x]@m", 1, "You help.", "hello"],
      ["k1", "s/t@m", 1, "You help.", "hello"],
      ["k1", "s/t@m", 2, "You help.", "hello"],
    ]);
    expect(missedRequest(requestOf("k9", "You help.", "hi"), asker, all).details).toMatchObject({
      nearest: "turn 1 of trial 1",
    });
  });

  it("says when the request itself is recorded, but not for this trial, or not so often", () => {
    const content = cassetteOf([["k1", "s/t@m", 1, "You help.", "hello"]]);
    const asked = requestOf("k1", "You help.", "hello");
    expect(missedRequest(asked, { ...asker, trial: 4 }, content).message).toMatch(
      /^No recording of this request to openai \(gpt\) in trial 4: only turn 1 of trial 1 has it$/,
    );
    expect(missedRequest(asked, asker, content).message).toMatch(
      /: it is repeated more often than recorded; the last recording is turn 1 of trial 1$/,
    );
  });

  it("says when there is nothing like it", () => {
    expect(missedRequest({ request: "k", method: "POST", path: "/chat", body: "hi" }, asker, null)).toMatchObject({
      message: `No recording of this request to the agent: nothing similar in ${asker.file}`,
    });
  });

  it("of a call compares the calls of that tool", () => {
    const content = emptyCassette("s", "t");
    const place = { case: "s/t@m", trial: 1, n: 1, ms: 1 };
    const calls: Entry[] = [
      { call: "c1", ...place, tool: "pay", args: { id: 1 } },
      { call: "c2", ...place, tool: "look", args: { id: 2, all: true } },
    ];
    content.cases.set("s/t@m", new Map([[1, calls]]));
    expect(missedCall({ call: "c9", tool: "look", args: { id: 1, all: true } }, asker, content).message).toBe(
      "No recording of the call look({id: 1, all: true}): the nearest, a call in trial 1, differs at id: recorded 2, now 1",
    );
  });
});

describe("the first difference", () => {
  it.each([
    [{ a: 1 }, { a: 2 }, { path: "a", recorded: "1", asked: "2" }],
    [{ m: [{ c: "x" }] }, { m: [{ c: "y" }] }, { path: "m[0].c", recorded: '"x"', asked: '"y"' }],
    [{ a: 1, b: 2 }, { a: 1 }, { path: "b", recorded: "2", asked: "nothing" }],
    [[1], [1, { x: 1 }], { path: "[1]", recorded: "nothing", asked: "{x: 1}" }],
    [{ "odd key": true }, { "odd key": null }, { path: '["odd key"]', recorded: "true", asked: "null" }],
    ["a", "b", { path: "the whole", recorded: '"a"', asked: '"b"' }],
    [{ a: [] }, { a: {} }, { path: "a", recorded: "[]", asked: "{}" }],
  ])("of %j and %j", (recorded, asked, expected) => {
    expect(findDifference(recorded, asked)).toEqual(expected);
  });

  it("in long texts is shown from shortly before it", () => {
    const long = "word ".repeat(100);
    expect(findDifference(`${long}one${long}`, `${long}two${long}`)).toEqual({
      path: "the whole",
      recorded: '"…word word word word oneword word word word word word word wo…"',
      asked: '"…word word word word twoword word word word word word word wo…"',
    });
  });

  it("is there exactly where values differ, and differences are counted no further than asked for", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (left, right) => {
        const [a, b] = [left, right].map((value) => JSON.parse(JSON.stringify(value)) as unknown);
        expect(findDifference(a, a)).toBeNull();
        expect(findDifference(a, b) === null).toBe(countDifferences(a, b, 5) === 0);
        expect(countDifferences(a, b, 2)).toBeLessThanOrEqual(2);
      }),
    );
  });
});
