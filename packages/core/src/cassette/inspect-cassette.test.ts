import { describe, expect, it } from "vitest";
import { createRedactor } from "../redaction/redactor.js";
import { canonicalRequest } from "./canonical-request.js";
import { emptyCassette, type Entry, type ExchangeLine } from "./cassette-lines.js";
import { checkCassette, describeCassette, findUnused, withoutUnused } from "./inspect-cassette.js";
import { renderCassette } from "./render-cassette.js";

const { redact } = createRedactor([]);
const request = canonicalRequest(
  {
    url: "http://x",
    method: "POST",
    headers: {},
    body: '{"q":1}',
    timeouts: { connectMs: 1, headersMs: 1, idleMs: 1, requestMs: 1 },
  },
  { asked: { provider: "openai", model: "gpt" } },
  redact,
);
const exchange = (caseId: string, trial: number): ExchangeLine => ({
  exchange: request.request,
  case: caseId,
  trial,
  n: 1,
  turn: 1,
  attempt: 1,
  status: 200,
  headers: {},
  text: "hi",
  ms: 1,
});

function sample() {
  const content = emptyCassette("s", "t");
  content.requests.set(request.request, request);
  for (const id of ["a", "b"]) {
    const trials = new Map<number, Entry[]>([1, 2, 3].map((trial) => [trial, [exchange(id, trial)]]));
    content.cases.set(id, trials);
  }
  content.cases.get("a")?.get(1)?.push({ call: "c", case: "a", trial: 1, n: 1, tool: "look", args: {}, ms: 1 });
  return content;
}

const text = renderCassette(sample());
const fileOf = (written: string, shown = ".kindlm/cassettes/s/t.jsonl") => ({ path: "", shown, text: written });

describe("a check", () => {
  it("finds nothing in what was written", () => {
    expect(checkCassette(fileOf(text), redact)).toEqual({ file: ".kindlm/cassettes/s/t.jsonl", problems: [] });
  });

  it.each([
    ["a copy in another place", fileOf(text, ".kindlm/cassettes/s/u.jsonl"), 1, /whose file is .*s\/t\.jsonl$/],
    ["a recording twice", fileOf(`${text}${JSON.stringify(exchange("b", 3))}\n`), 10, "is a duplicate of line 9"],
    [
      "a request changed by hand",
      fileOf(text.replace('"q":1', '"q":2')),
      2,
      "was changed: its key belongs to another request",
    ],
    ["a key", fileOf(text.replace('"hi"', '"sk-0123456789abcdefghij"')), 3, "contains something that looks like a key"],
    ["a line cut off", fileOf(text.slice(0, -20)), 9, "is not JSON"],
  ])("finds %s", (_name, file, line, message) => {
    const { problems } = checkCassette(file, redact);
    const expected = typeof message === "string" ? message : (expect.stringMatching(message) as string);
    expect(problems).toEqual([{ line, message: expected }]);
  });
});

it("is described in numbers, also where it cannot be read", () => {
  expect(describeCassette(fileOf(text))).toEqual({
    file: ".kindlm/cassettes/s/t.jsonl",
    suite: "s",
    test: "t",
    cases: 2,
    trials: 6,
    exchanges: 6,
    toolCalls: 1,
    bytes: Buffer.byteLength(text),
    models: ["openai:gpt"],
    problem: null,
  });
  expect(describeCassette(fileOf("x"))).toMatchObject({ cases: 0, problem: "line 1 is not JSON" });
});

describe("pruning", () => {
  it("takes out cases and trials that are no more", () => {
    const content = sample();
    const unused = findUnused("f", content, new Map([["a", 2]]));
    expect(unused).toEqual({
      file: "f",
      isRemoved: false,
      cases: ["b"],
      trials: [{ case: "a", trial: 3 }],
      entries: 4,
    });
    if (unused !== null) withoutUnused(content, unused);
    expect([...content.cases.keys()]).toEqual(["a"]);
    expect([...(content.cases.get("a")?.keys() ?? [])]).toEqual([1, 2]);
  });

  it("removes a file of which nothing is left, and leaves one alone that is all in use", () => {
    expect(findUnused("f", sample(), new Map())).toMatchObject({ isRemoved: true, entries: 7 });
    expect(
      findUnused(
        "f",
        sample(),
        new Map([
          ["a", 3],
          ["b", 5],
        ]),
      ),
    ).toBeNull();
  });
});
