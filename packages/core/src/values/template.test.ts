import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lookUp, placeholdersIn, renderTemplate } from "./template.js";

const values = { city: "Bonn", n: 4, row: { a: { b: [10, 20] } }, "Order ID": "7", nested: { "x.y": 1 }, "x.y": 2 };
const render = (template: unknown) => renderTemplate(template, { values });

describe("renderTemplate", () => {
  it.each([
    ["Weather in {{city}}?", "Weather in Bonn?"],
    ["{{ city }}", "Bonn"],
    ["{{n}}", 4],
    ["n={{n}}", "n=4"],
    ["{{row.a.b}}", [10, 20]],
    ["{{row.a.b.1}}", 20],
    ["b: {{row.a.b}}", "b: [10,20]"],
    ["{{Order ID}}", "7"],
    ["{{x.y}}", 2],
    [String.raw`\{{city}}`, "{{city}}"],
    [String.raw`\{{city}} in {{city}}`, "{{city}} in Bonn"],
    ["no { braces }", "no { braces }"],
    [{ a: ["{{n}}", { b: "{{city}}!" }] }, { a: [4, { b: "Bonn!" }] }],
    [{ "{{city}}": 1 }, { "{{city}}": 1 }],
    [null, null],
  ])("%j becomes %j", (template, expected) => {
    expect(render(template)).toEqual({ success: true, data: expected });
  });

  it("reports every unknown name with where it stands and what exists there", () => {
    expect(render({ a: "{{nope}} {{row.x}}", b: ["{{n.deep}}"] })).toEqual({
      success: false,
      error: [
        { path: ["a"], name: "nope", known: Object.keys(values) },
        { path: ["a"], name: "row.x", known: ["a"] },
        { path: ["b", 0], name: "n.deep", known: [] },
      ],
    });
  });

  it("never expands a value again, whatever it holds", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(renderTemplate("<{{x}}>", { values: { x: text } })).toEqual({ success: true, data: `<${text}>` });
      }),
    );
    expect(renderTemplate("{{a}}", { values: { a: "{{b}}", b: 1 } })).toEqual({ success: true, data: "{{b}}" });
  });

  it("treats names of the prototype as unknown and __proto__ as data", () => {
    expect(render("{{toString}}").success).toBe(false);
    expect(render("{{row.constructor}}").success).toBe(false);
    const template = JSON.parse('{ "__proto__": "{{city}}" }') as unknown;
    const rendered = render(template);
    expect(JSON.stringify(rendered.success && rendered.data)).toBe('{"__proto__":"Bonn"}');
  });

  it("is the identity on values without braces", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        fc.pre(!JSON.stringify(value).includes("{{"));
        expect(render(value)).toEqual({ success: true, data: value });
      }),
    );
  });
});

describe("placeholdersIn", () => {
  it("lists names and places, escaped ones left out", () => {
    expect(placeholdersIn({ a: "{{x}} and {{ y.z }}", b: [String.raw`\{{no}}`, "{{w}}"] })).toEqual([
      { name: "x", path: ["a"] },
      { name: "y.z", path: ["a"] },
      { name: "w", path: ["b", 1] },
    ]);
  });
});

describe("lookUp", () => {
  it("does not read beyond the end of a list", () => {
    expect(lookUp("row.a.b.2", { values }).success).toBe(false);
  });
});
