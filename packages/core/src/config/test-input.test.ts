import { describe, expect, it } from "vitest";
import { loadedProject, loadProject, minimalConfig, renderAll, testsOf } from "../__fixtures__/config-project.js";

const contains = "assert: [{ type: contains, value: hi }]";

async function rowsOf(name: string, content: string) {
  const files = { "kindlm.yaml": minimalConfig(`dataset: ${name}\n${contains}`), [name]: content };
  const config = await loadedProject(files);
  return testsOf(config)[0]?.rows?.map(({ key, values }) => [key, { ...values }] as const);
}

describe("a dataset", () => {
  it("may be csv, whose values are texts", async () => {
    expect(
      await rowsOf("d/rows.csv", '\ufeffid,city,n\r\na,"New, York",007\r\nb,"say ""hi""",\r\n\r\nc,x,1\r\n'),
    ).toEqual([
      ["a", { id: "a", city: "New, York", n: "007" }],
      ["b", { id: "b", city: 'say "hi"', n: "" }],
      ["c", { id: "c", city: "x", n: "1" }],
    ]);
  });

  it.each([
    ["rows.jsonl", '{"id":1,"n":2}\n\n{"id":"b","o":{"x":[1]}}\n'],
    ["rows.json", '[{"id":1,"n":2},{"id":"b","o":{"x":[1]}}]'],
    ["rows.yaml", "- { id: 1, n: 2 }\n- { id: b, o: { x: [1] } }\n"],
  ])("may be %s, whose values keep their type", async (name, content) => {
    expect(await rowsOf(name, content)).toEqual([
      ["1", { id: 1, n: 2 }],
      ["b", { id: "b", o: { x: [1] } }],
    ]);
  });

  it("has keys that do not depend on the position, nor on the order of columns", async () => {
    const keys = (await rowsOf("a.jsonl", '{"a":1,"b":2}\n{"a":2}\n'))?.map(([key]) => key) ?? [];
    const turned = (await rowsOf("a.jsonl", '{"a":2}\n{"b":2,"a":1}\n{"a":2}\n'))?.map(([key]) => key) ?? [];
    expect(keys[0]).toMatch(/^[0-9a-f]{12}$/);
    expect(turned).toEqual([keys[1], keys[0], `${keys[1] ?? ""}-2`]);
  });

  it.each([
    ["rows.csv", "id,city\na\n", "invalid rows.csv:2:1 Invalid CSV: Invalid Record Length: expect 2, got 1"],
    ["rows.csv", "id,id\na,b\n", 'invalid rows.csv:1:1 The column "id" occurs twice'],
    ["rows.csv", "id,row\na,b\n", 'invalid rows.csv:1:1 The column "row" has a reserved name'],
    ["rows.csv", "id\n", "invalid rows.csv:1:1 The dataset has no rows"],
    ["rows.jsonl", '{"a":1}\n{"a":\n', "invalid rows.jsonl:2:1 Invalid JSON"],
    ["rows.jsonl", '{"a":1}\n[1]\n', "invalid rows.jsonl:2:1 Row 2 must be an object"],
    ["rows.json", '{"a":1}', "invalid rows.json:1:1 A dataset must be a list of objects"],
    ["rows.yaml", "- a\n", "invalid rows.yaml:1:3 Row 1 must be an object"],
    ["rows.txt", "x", 'invalid kindlm.yaml:8:18 "rows.txt" is not a csv, jsonl, json or yaml file'],
    ["missing.csv", "", 'CONFIG_FILE_REF_ERROR kindlm.yaml:8:18 dataset "missing.csv" not found'],
  ])("is refused where it is wrong: %s %j", async (name, content, expected) => {
    const files = { "kindlm.yaml": minimalConfig(`dataset: ${name}\n${contains}`) };
    const loaded = await loadProject(content === "" ? files : { ...files, [name]: content });
    if (loaded.success) throw new Error("loaded");
    expect(renderAll(loaded.error)[0]).toContain(expected);
  });

  it("must know every placeholder in every row", async () => {
    const test =
      'rows: [{ id: a, city: x, o: { p: 1 } }, { id: b, o: { p: 1 } }]\nassert: [{ type: contains, value: "{{city}} {{row.o.p}} {{o.p}} {{row.id}}" }]';
    const loaded = await loadProject({ "kindlm.yaml": minimalConfig(test) });
    if (loaded.success) throw new Error("loaded");
    expect(renderAll(loaded.error)).toEqual([
      expect.stringMatching(/^invalid kindlm.yaml:9:43 \{\{city\}\} has no value in row "b" of the dataset/),
    ]);
  });
});

describe("messages", () => {
  const conversation = (lines: string): string => `version: 1
models: [{ id: m, provider: openai, model: x }]
suites:
  - name: s
    tests:
      - name: t
        ${contains}
        input:
          messages:
            ${lines.replaceAll("\n", "\n            ")}
`;

  it("become a transcript: history, tool calls, images", async () => {
    const png = new Uint8Array([1, 2, 3]);
    const lines = `- { role: user, content: "Where is ORD-1?" }
- { role: assistant, content: Looking, tool_calls: [{ tool: look, args: { id: ORD-1 } }, { tool: ask, id: x }] }
- { role: tool, call_id: x, content: plain, is_error: true }
- { role: tool, content: { status: ok } }
- { role: assistant, content: Done }
- { role: user, content: [{ type: text, text: And this? }, { type: image, file: a.png }, { type: image, url: "https://x/y.png" }] }`;
    const config = await loadedProject({ "kindlm.yaml": conversation(lines), "a.png": png });
    expect(testsOf(config)[0]?.input).toEqual({
      kind: "messages",
      messages: [
        { role: "user", content: "Where is ORD-1?" },
        {
          role: "assistant",
          text: "Looking",
          toolCalls: [
            { id: "call_1", tool: "look", args: { id: "ORD-1" } },
            { id: "x", tool: "ask", args: {} },
          ],
        },
        { role: "tool", callId: "x", tool: "ask", content: "plain", isError: true },
        { role: "tool", callId: "call_1", tool: "look", content: '{"status":"ok"}', isError: false },
        { role: "assistant", text: "Done", toolCalls: [] },
        {
          role: "user",
          content: [
            { type: "text", text: "And this?" },
            { type: "image", source: { kind: "base64", mediaType: "image/png", data: "AQID" } },
            { type: "image", source: { kind: "url", url: "https://x/y.png" } },
          ],
        },
      ],
    });
  });

  it.each([
    ["- { role: assistant, content: Hi }", "10:15 The last message must come from the user or a tool"],
    ["- { role: tool, content: x }", "10:15 This tool message answers no call"],
    [
      "- { role: user, content: a }\n- { role: assistant, tool_calls: [{ tool: x }] }\n- { role: user, content: b }",
      "12:15 The call of x has no result",
    ],
    ["- { role: user, content: [{ type: image, file: a.bmp }] }", 'kindlm.yaml:10:60 "a.bmp" is not a png'],
    [
      "- { role: user, content: [{ type: image, file: a.png }] }",
      'CONFIG_FILE_REF_ERROR kindlm.yaml:10:60 Image "a.png" not found',
    ],
  ])("are refused where a provider would: %s", async (lines, expected) => {
    const loaded = await loadProject({ "kindlm.yaml": conversation(lines) });
    if (loaded.success) throw new Error("loaded");
    expect(renderAll(loaded.error)[0]).toContain(expected);
  });

  it("may be a conversation with assertions of its own", async () => {
    const test = "conversation: [{ user: a, assert: [{ type: contains, value: x }] }, { user: b }]";
    const config = await loadedProject({ "kindlm.yaml": minimalConfig(test).replace("        input: hello\n", "") });
    const [resolved] = testsOf(config);
    expect(resolved?.assertions).toEqual([]);
    expect(resolved?.input).toMatchObject({
      kind: "conversation",
      userTurns: [
        { content: "a", assertions: [{ raw: { type: "contains" } }] },
        { content: "b", assertions: [] },
      ],
    });
  });
});
