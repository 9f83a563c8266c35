import { describe, expect, it } from "vitest";
import {
  loadedProject,
  loadProject,
  minimalConfig,
  renderAll,
  renderDiagnostic,
  testsOf,
} from "../../__fixtures__/config-project.js";

const check = "assert: [{ type: contains, value: x }]";
const called = (args: string): string => `assert: [{ type: tool_not_called, tool: pay, args: ${args} }]`;
const projectOf = (dataset: string, csv: string, lines = check, name = "d.csv") => ({
  "kindlm.yaml": minimalConfig(`dataset: ${dataset}\n${lines}`),
  [name]: csv,
});

async function rowsOf(dataset: string, csv: string, name?: string): Promise<unknown> {
  return testsOf(await loadedProject(projectOf(dataset, csv, check, name)))[0]?.rows;
}

async function problemsOf(dataset: string, csv: string, name?: string): Promise<string[]> {
  const loaded = await loadProject(projectOf(dataset, csv, check, name));
  if (loaded.success) throw new Error("loaded");
  return renderAll(loaded.error);
}

describe("columns of a csv file", () => {
  const typed =
    "{ file: d.csv, columns: { total: number, express: boolean, items: json, zip: string }, delimiter: ';' }";

  it("are read as they are typed, with the separator that is given", async () => {
    const csv = 'id;total;express;items;zip;note\na; 49.99 ;TRUE;"[{""n"": 1}]";007;1\nb;-1e3;false;null;8;\n';
    expect(await rowsOf(typed, csv)).toEqual([
      { key: "a", values: { id: "a", total: 49.99, express: true, items: [{ n: 1 }], zip: "007", note: "1" } },
      { key: "b", values: { id: "b", total: -1000, express: false, items: null, zip: "8", note: "" } },
    ]);
  });

  it("keep the keys of their rows, which are hashes of what is in them", async () => {
    const [plain, stringTyped] = await Promise.all(
      ["d.csv", "{ file: d.csv, columns: { n: string } }"].map((dataset) => rowsOf(dataset, "n\n1\n1\n")),
    );
    expect(plain).toEqual(stringTyped);
    expect(plain).toMatchObject([{ key: "1a2613ec93fa" }, { key: "1a2613ec93fa-2" }]);
  });

  it.each([
    ["007", "number", '"007" is not a number'],
    ["1,5", "number", '"1,5" is not a number'],
    ["0x10", "number", '"0x10" is not a number'],
    ["Infinity", "number", '"Infinity" is not a number'],
    ["1e999", "number", '"1e999" has more digits than a number can hold'],
    ["9007199254740993", "number", '"9007199254740993" has more digits than a number can hold'],
    ["", "number", "the cell is empty"],
    ["yes", "boolean", '"yes" is not true or false'],
    ["{a: 1}", "json", '"{a: 1}" is not JSON: '],
  ])("refuse %j as a %s, with row and column", async (cell, type, words) => {
    const csv = `id,total\na,1\n\nb,"${cell}"\n`.replace("a,1", type === "number" ? "a,1" : "a,true");
    const [problem] = await problemsOf(`{ file: d.csv, columns: { total: ${type} } }`, csv);
    expect(problem).toContain(`invalid d.csv:4:1 Row 2, column "total": ${words}`);
    expect(problem).toContain('| Fix the cell, or declare the column "total" as string');
  });

  it("refuse a type for a column that is not there, or in a file that has types", async () => {
    expect(await problemsOf("{ file: d.csv, columns: { totl: number } }", "id,total\na,1\n")).toEqual([
      'invalid kindlm.yaml:8:44 The dataset has no column "totl" | Did you mean "total"?',
    ]);
    expect(await problemsOf("{ file: d.json, columns: { total: number } }", "[]", "d.json")).toEqual([
      'invalid kindlm.yaml:8:34 "columns" is for csv files, but "d.json" has its own types | Remove it',
    ]);
    expect(await problemsOf("{ file: d.csv, delimiter: '::' }", "a\n1")).toEqual([
      expect.stringContaining("A delimiter is one character"),
    ]);
  });

  it.each([
    ["id;total\na;49,99\n", "d.csv", '; | Write dataset: { file: …, delimiter: ";" }'],
    ["id\ttotal\na\t1\n", "d.csv", 'tabs | Write dataset: { file: …, delimiter: "\\t" }'],
    ["id|total\na|1\n", "d.csv", '| | Write dataset: { file: …, delimiter: "|" }'],
    ["id,total\na,1\n", "{ file: d.csv, delimiter: ; }", ', | Write dataset: { file: …, delimiter: "," }'],
  ])("name a wrong separator: %j", async (csv, dataset, words) => {
    expect(await problemsOf(dataset, csv)).toEqual([
      `invalid d.csv:1:1 The header has 1 column; it looks separated by ${words}`,
    ]);
  });

  it("may be one, whatever it is called, and separated by tabs in a tsv file", async () => {
    expect(await rowsOf("d.csv", "what is 1;2?\nx;y\n")).toMatchObject([{ values: { "what is 1;2?": "x;y" } }]);
    expect(await rowsOf("d.tsv", "id\ttotal\na\t1\n", "d.tsv")).toMatchObject([{ key: "a", values: { total: "1" } }]);
  });
});

describe("ids of rows", () => {
  it.each([
    ["d.csv", "id,n\na,1\nb,2\n a ,3\n", 'invalid d.csv:4:1 Row 3 has the id "a" of row 1'],
    ["d.jsonl", '{"id":1}\n{"id":"1"}\n', 'invalid d.jsonl:2:1 Row 2 has the id "1" of row 1'],
    ["d.yaml", "- { id: a }\n- { id: a, n: 1 }\n", 'invalid d.yaml:2:3 Row 2 has the id "a" of row 1'],
  ])("are refused if they repeat: %s", async (name, text, words) => {
    const [problem, ...others] = await problemsOf(name, text, name);
    expect(problem).toContain(words);
    expect(others).toEqual([]);
  });
});

describe("a column of numbers that is not typed", () => {
  const warningsOf = async (dataset: string, csv: string, lines: string): Promise<string[]> =>
    (await loadedProject(projectOf(dataset, csv, lines))).warnings
      .map(renderDiagnostic)
      .filter((text) => text.includes("is a string"));

  it("is offered as one where it is compared as a whole", async () => {
    const args = '{ amount: "{{total}}", more: [{ $one_of: ["{{row.total}}"] }] }';
    expect(await warningsOf("d.csv", "id,total\na,49.99\nb,7\n", called(args))).toEqual([
      expect.stringMatching(
        /^warning kindlm.yaml:9:\d+ "\{\{total\}\}" is a string, although each cell of the column "total" is a number \| To compare numbers, write dataset: \{ file: …, columns: \{ total: number \} \}/,
      ),
      expect.stringContaining("is a string, although"),
    ]);
  });

  it.each([
    ["d.csv", "id,total\na,49.99\nb,n/a\n", called('{ amount: "{{total}}" }')],
    ["d.csv", "id,total\na,007\n", called('{ amount: "{{total}}" }')],
    ["d.csv", "id,total\na,7\n", called('{ text: "about {{total}}", note: { $contains: "{{total}}" } }')],
    ["d.csv", "id,total\na,7\n", 'assert: [{ type: contains, value: "{{total}}" }]'],
    ["{ file: d.csv, columns: { total: number } }", "id,total\na,7\n", called('{ amount: "{{total}}" }')],
    ["{ file: d.csv, columns: { total: string } }", "id,total\na,7\n", called('{ amount: "{{total}}" }')],
  ])("is not where it is text: %s %j %s", async (dataset, csv, lines) => {
    expect(await warningsOf(dataset, csv, lines)).toEqual([]);
  });
});
