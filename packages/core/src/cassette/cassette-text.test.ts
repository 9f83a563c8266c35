import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { emptyCassette, type CallLine, type Entry, type ExchangeLine } from "./cassette-lines.js";
import { parseCassette, parseCassetteLines } from "./parse-cassette.js";
import { numbered, renderCassette } from "./render-cassette.js";

const exchange = (key: string, caseId: string, trial: number, n: number, text = ""): ExchangeLine => ({
  exchange: key,
  case: caseId,
  trial,
  n,
  turn: 1,
  attempt: 1,
  status: 200,
  headers: {},
  text,
  ms: 1.5,
});
const call: CallLine = {
  call: "c",
  case: "b",
  trial: 1,
  n: 1,
  tool: "look",
  args: { id: 1 },
  result: { ok: 1 },
  ms: 2,
};

function cassetteOf(entries: readonly Entry[]) {
  const content = emptyCassette("s", "t");
  content.lists.set("mcp x", [{ name: "look", parameters: {}, attributes: { readonly: true, no_effect: true } }]);
  for (const entry of entries) {
    if ("exchange" in entry)
      content.requests.set(entry.exchange, { request: entry.exchange, body: { of: entry.exchange } });
    const trials = content.cases.get(entry.case) ?? new Map<number, Entry[]>();
    content.cases.set(entry.case, trials.set(entry.trial, [...(trials.get(entry.trial) ?? []), entry]));
  }
  return content;
}

const entries: readonly Entry[] = [
  exchange("k2", "b", 1, 1),
  call,
  exchange("k1", "b", 10, 1),
  exchange("k1", "b", 2, 1),
  exchange("k1", "a", 1, 1),
  exchange("k1", "a", 1, 2),
];

describe("the text of a cassette", () => {
  it("is one line per recording, by case and trial, each request once, before its first exchange", () => {
    const lines = renderCassette(cassetteOf(entries)).trimEnd().split("\n");
    const names = lines.map((line) => {
      const {
        kindlm,
        tools,
        request,
        exchange: key,
        call: callKey,
        case: id,
        trial,
        n,
      } = JSON.parse(line) as Record<string, string>;
      return kindlm ?? tools ?? request ?? `${key ?? callKey ?? ""} ${id ?? ""} ${trial ?? ""} ${n ?? ""}`;
    });
    expect(names).toEqual([
      "cassette",
      "mcp x",
      "k1",
      "k1 a 1 1",
      "k1 a 1 2",
      "k2",
      "k2 b 1 1",
      "c b 1 1",
      "k1 b 2 1",
      "k1 b 10 1",
    ]);
  });

  it("is the same in whatever order cases and trials were recorded, and when it is read and written again", () => {
    const text = renderCassette(cassetteOf(entries));
    // Within a trial the order is that of the conversation.
    const trials = [entries.slice(0, 2), entries.slice(2, 3), entries.slice(3, 4), entries.slice(4)];
    fc.assert(
      fc.property(fc.shuffledSubarray(trials, { minLength: trials.length }), (shuffled) => {
        expect(renderCassette(cassetteOf(shuffled.flat()))).toBe(text);
      }),
    );
    const read = parseCassette(text);
    expect(read.success && renderCassette(read.data)).toBe(text);
  });

  it("takes line ends of Windows, a mark at its beginning, blank lines and any order", () => {
    const text = renderCassette(cassetteOf(entries));
    const [header = "", ...lines] = text.trimEnd().split("\n");
    const read = parseCassette(`\uFEFF${[header, "", ...lines.toReversed()].join("\r\n")}`);
    expect(read).toMatchObject({ success: true });
    const trial = read.success ? read.data.cases.get("a")?.get(1) : [];
    expect(trial?.map(({ n }) => n).toSorted()).toEqual([1, 2]);
  });

  it("keeps the last of two recordings of one place, as a merge leaves them", () => {
    const text = renderCassette(cassetteOf([exchange("k1", "a", 1, 1, "old")]));
    const merged = `${text}${JSON.stringify(exchange("k1", "a", 1, 1, "new"))}\n`;
    const read = parseCassette(merged);
    expect(read.success && read.data.cases.get("a")?.get(1)).toMatchObject([{ text: "new" }]);
  });

  it.each([
    ["", 1, "is missing: the file is empty"],
    ["{}", 1, "is not a header of a cassette"],
    ['{"kindlm":"cassette","version":2,"suite":"s","test":"t"}', 1, /^has version 2, .* Update KindLM$/],
    ['{"kindlm":"cassette","version":0,"suite":"s","test":"t"}', 1, /^has version 0, .* Record it again$/],
    ["HEADER\nnonsense", 2, "is not JSON"],
    ["HEADER\n=======", 2, "is a merge conflict marker"],
    ["HEADER\n[]", 2, "is not a JSON object"],
    ['HEADER\n{"else":1}', 2, "has an unknown kind"],
    [
      'HEADER\n\n{"exchange":"k","case":"a","trial":0,"n":1,"turn":1,"attempt":1,"ms":1}',
      3,
      'lacks what "exchange" has',
    ],
    ['HEADER\n{"exchange":"k","case":"a","trial":1,"n":1,"turn":1,"attempt":1,"ms":1}', 2, /^belongs to the request k/],
    ['HEADER\n{"call":"k","case":"a","trial":1,"n":1,"ms":1}', 2, 'lacks what "call" has'],
    ['HEADER\n{"tools":"x","list":[{"name":"a"}]}', 2, 'lacks what "tools" has'],
  ])("refuses %j and names the line", (text, line, reason) => {
    const header = '{"kindlm":"cassette","version":1,"suite":"s","test":"t"}';
    const read = parseCassette(text.replace("HEADER", header));
    expect(read).toEqual({
      success: false,
      error: { line, reason: typeof reason === "string" ? reason : (expect.stringMatching(reason) as string) },
    });
  });

  it("never throws, whatever stands in the file", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.json(), fc.string(), fc.constantFrom(...renderCassette(cassetteOf(entries)).split("\n")))),
        (lines) => {
          expect(parseCassetteLines(lines.join("\n"))).toHaveProperty("success");
          expect(parseCassette(lines.join("\n"))).toHaveProperty("success");
        },
      ),
    );
  });
});

it("numbers the recordings of each key", () => {
  const [a, b, c] = [exchange("k1", "a", 1, 7), exchange("k2", "a", 1, 7), exchange("k1", "a", 1, 1)];
  expect(numbered([a, b, c]).map(({ n }) => n)).toEqual([1, 1, 2]);
});
