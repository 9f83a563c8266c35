import { expect, it } from "vitest";
import { fieldsOf, linesOf, listValue } from "./list-value.js";

it.each<[unknown, string]>([
  ["text\nof two lines", "text\nof two lines"],
  [undefined, ""],
  [[1, "a"], '[1, "a"]'],
  [{ order_id: "ORD-4", total: 1250 }, 'order_id "ORD-4", total 1250'],
  [{ path: "a.txt", content: "one\n" }, 'path "a.txt", content "one\\n"'],
  [{ path: "a.txt", content: "one\n\n  two\n", length: 10 }, 'path "a.txt", length 10\ncontent\n  one\n  \n    two'],
  [{ content: "one\r\ntwo" }, "\ncontent\n  one\r\n  two"],
  [
    { ok: true, data: { name: "notes", content: "# Notes\n\nBe brief.\n" }, rest: { deep: { text: "a\nb" } } },
    'ok true, data.name "notes", rest {deep: {text: "a\\nb"}}\ndata.content\n  # Notes\n  \n  Be brief.',
  ],
  [{ "a\nb": "c\nd" }, "\na b\n  c\n  d"],
])("lists %j", (value, text) => {
  expect(listValue(value)).toBe(text);
});

it("shows text of several lines alone as it is", () => {
  expect([linesOf("a\nb\n"), linesOf("a\n"), linesOf("a"), linesOf(1)]).toEqual(["a\nb", null, null, null]);
  expect(fieldsOf({ a: { b: "c\nd", e: 1 }, f: { g: "h" } })).toEqual([
    ["a.b", "c\nd"],
    ["a.e", 1],
    ["f", { g: "h" }],
  ]);
});
