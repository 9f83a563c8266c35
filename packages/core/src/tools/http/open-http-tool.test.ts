import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { renderRequest } from "./open-http-tool.js";

const base = { url: "http://shop/orders", method: "POST" as const, headers: {} };

function render(changes: object, args: unknown = {}) {
  return renderRequest({ ...base, ...changes }, { values: { args, team: "blue", base: "http://shop:81", n: 5 } });
}

describe("renderRequest", () => {
  it.each<[changes: object, args: object, request: object]>([
    [{}, { id: 1 }, { url: base.url, body: '{"id":1}', headers: { "content-type": "application/json" } }],
    [{ method: "GET" }, { id: 1 }, { url: base.url, headers: {} }],
    [{ method: "GET", body: "x" }, {}, { url: base.url, headers: {}, body: "x" }],
    [{ body: "id={{args.id}}" }, { id: "a b" }, { url: base.url, headers: {}, body: "id=a b" }],
    [
      { url: "{{base}}/o/{{args.id}}?n={{n}}", method: "GET", headers: { "X-Team": "{{team}}" } },
      { id: "a/b?c" },
      { url: "http://shop:81/o/a%2Fb%3Fc?n=5", headers: { "x-team": "blue" } },
    ],
    [
      { body: { id: "{{args.id}}", note: "{{args.note}}", all: [{ n: "{{n}}" }] }, headers: { "Content-Type": "a/b" } },
      { id: 7 },
      { url: base.url, headers: { "content-type": "a/b" }, body: '{"id":7,"all":[{"n":5}]}' },
    ],
    [{ method: "GET", url: "http://shop/\\{{x}}" }, {}, { url: "http://shop/{{x}}", headers: {} }],
  ])("of %j with %j", (changes, args, request) => {
    expect(render(changes, args)).toEqual({ success: true, data: request });
  });

  it.each([
    [{ url: "http://shop/{{args.id}}" }, {}, "The call has no value for {{args.id}}"],
    [{ headers: { a: "{{args.id}}" } }, {}, "The call has no value for {{args.id}}"],
    [{ body: { a: "id {{args.id}}", b: "{{other}}" } }, {}, "The call has no value for {{args.id}}, {{other}}"],
    [{ url: "http://shop/{{args.id}}/x" }, { id: ".." }, '".." cannot be part of the service address'],
  ])("fails for %j with %j", (changes, args, error) => {
    expect(render(changes, args)).toEqual({ success: false, error });
  });

  it("an argument never leads to another address", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (id) => {
        const rendered = render({ url: "http://shop/orders/{{args.id}}/items" }, { id });
        if (!rendered.success) {
          expect(id).toMatch(/^\.{1,2}$/);
          return;
        }
        const { origin, pathname, search, hash } = new URL(rendered.data.url);
        expect({ origin, search, hash }).toEqual({ origin: "http://shop", search: "", hash: "" });
        const [, orders, escaped = "", items, ...more] = pathname.split("/");
        expect([orders, decodeURIComponent(escaped), items, more]).toEqual(["orders", id, "items", []]);
      }),
    );
  });

  it.each([
    ["http://shop/a/{{args.x}}{{args.y}}/b", { x: ".", y: "." }],
    ["http://shop/a/.{{args.x}}?q=1", { x: "." }],
    ["http://shop/a/.{{args.x}}", { x: "" }],
  ])("arguments do not make a step to another address together: %s %j", (url, args) => {
    expect(render({ url }, args)).toMatchObject({ success: false });
  });

  it("leaves the steps that the config makes", () => {
    expect(render({ url: "http://shop/a/../{{args.x}}" }, { x: "b" })).toMatchObject({
      success: true,
      data: { url: "http://shop/a/../b" },
    });
  });
});
