import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { activeMs } from "../__fixtures__/active-ms.js";
import { draws } from "../__fixtures__/draws.js";
import { createRedactor, mask } from "./redactor.js";

/** Values with everything that JSON and XML write in another way, and such as are numbers. */
const secrets = fc.oneof(
  fc.string({ unit: fc.constantFrom(...Array.from("QXZJV0189/+=&?% \"\\\nü<>'`\t")), minLength: 6, maxLength: 30 }),
  fc.bigInt({ min: 100_000n, max: 10n ** 22n }).map(String),
  fc.double({ min: 1_000.5, max: 1e6, noNaN: true }).map(String),
);

/** Every text in a JSON value, keys included, and every number. */
function leaves(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(leaves);
  if (typeof value === "object" && value !== null) return Object.entries(value).flat().flatMap(leaves);
  return [value];
}

/** JSON that has the secrets wherever a secret can be. */
function holding(values: readonly string[]): fc.Arbitrary<unknown> {
  const one = fc.constantFrom(...values);
  const texts = fc.tuple(fc.string(), one, fc.string()).map((parts) => parts.join(""));
  const leaf = fc.oneof(
    texts,
    texts.map((text) => JSON.stringify({ text })),
    one.map((value) => Buffer.from(`user:${value}`).toString("base64")),
    one.map(encodeURIComponent),
    one.map(Number),
    one.map((value) => -Number(value)),
    fc.constantFrom(null, true, 1.5, "", "…"),
  );
  return fc.letrec((tie) => ({
    node: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie("node"), { maxLength: 3 }),
      fc.dictionary(fc.oneof(texts, fc.string()), tie("node"), { maxKeys: 3 }),
    ),
  })).node;
}

const worlds = fc
  .array(secrets, { minLength: 1, maxLength: 3 })
  .chain((values) => fc.tuple(fc.constant(values), holding(values), fc.constantFrom(undefined, 2)));

describe("redactJson", () => {
  it("leaves JSON that can be read, of the same shape, and no form of a secret in it", () => {
    fc.assert(
      fc.property(worlds, ([values, value, indent]) => {
        const redactor = createRedactor(values);
        const shown: unknown = JSON.parse(redactor.redactJson(JSON.stringify(value, null, indent)));
        const numbers = new Set<unknown>(values.map((secret) => Math.abs(Number(secret))));
        const found = leaves(shown).filter((leaf) =>
          typeof leaf === "string" ? redactor.redact(leaf) !== leaf : typeof leaf === "number" && numbers.has(leaf),
        );
        expect(found).toEqual([]);
      }),
      { numRuns: draws({ brief: 120, full: 10_000 }) },
    );
  });

  it("is what masking by value is", () => {
    fc.assert(
      fc.property(worlds, ([values, value]) => {
        const { redact, redactJson } = createRedactor(values);
        const texts = leaves(value).filter((leaf) => typeof leaf === "string");
        expect(JSON.parse(redactJson(JSON.stringify(texts)))).toEqual(texts.map(redact));
      }),
    );
  });

  it("takes whole lines of a document, and lines that are each one", () => {
    const { redactJson } = createRedactor(['a"b\\c-secret', "123456789"]);
    expect(redactJson('  "x": "a\\"b\\\\c-secret",\n  "pin": 123456789,\n')).toBe(
      `  "x": "${mask}",\n  "pin": "${mask}",\n`,
    );
    expect(redactJson('{"n":-123456789}\n{"n":1234567890,"m":0.123456789}\n')).toBe(
      `{"n":"${mask}"}\n{"n":1234567890,"m":0.123456789}\n`,
    );
  });

  it("finds what JSON escapes again", () => {
    const secret = "??>>??>>'x";
    const base64 = Buffer.from(secret).toString("base64").replaceAll("/", "\\/");
    expect(base64).toContain("\\/");
    const { redactJson } = createRedactor([secret]);
    for (const text of [base64, inspect(`${secret}"\``).slice(1, -3)]) {
      expect(redactJson(JSON.stringify({ text }))).toBe(`{"text":"${mask}"}`);
    }
  });

  it("masks a number that lost its last digits on the way", () => {
    const secret = "12345678901234567890";
    const text = JSON.stringify({ pin: Number(secret) });
    expect(createRedactor([secret]).redactJson(text)).toBe(`{"pin":"${mask}"}`);
  });

  it("masks the rest of a secret that was cut, and a key behind what is escaped", () => {
    const { redactJson } = createRedactor(['correct"horse-battery']);
    expect(redactJson(JSON.stringify(['correct"hor…', "the … horse"]))).toBe(`["${mask}…","the … horse"]`);
    expect(redactJson(JSON.stringify("\nsk-abcdefghijklmnopqrst"))).toBe(String.raw`"\n${mask}"`);
  });

  it("masks what is no JSON as text", () => {
    const { redactJson } = createRedactor(["correct-horse"]);
    for (const text of ["correct-horse", '{"a": correct-horse}', '"correct-horse', "'correct-horse' // \\"]) {
      expect(redactJson(text)).toBe(text.replace("correct-horse", mask));
    }
  });

  it("takes time in proportion to the text", () => {
    const { redactJson } = createRedactor(["sk-secret-value"]);
    const units = ["\\", '"', '\\"', "sk-secret-value", '"sk-secret-value",', "[", "1", "-", "…"];
    const texts = units.map((unit) => unit.repeat(Math.ceil(100_000 / unit.length)));
    for (const text of [...texts, JSON.stringify("sk-secret-value".repeat(25_000))]) {
      expect(activeMs(() => void redactJson(text))).toBeLessThan(500);
    }
  });
});

describe("redactMarkup", () => {
  const escape = (text: string): string =>
    text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

  it("leaves tags and names, and no secret in attributes and texts", () => {
    fc.assert(
      fc.property(fc.array(secrets, { minLength: 1, maxLength: 3 }), fc.array(fc.string()), (values, fillers) => {
        const { redact, redactMarkup } = createRedactor([...values, "failure", "message"]);
        const said = values.map((value, index) => `${fillers[index] ?? ""}${value}`);
        const text = said.map((one) => `<failure message="${escape(one)}">${escape(one)}</failure>\n`).join("");
        const shown = redactMarkup(text);
        const read = shown
          .replaceAll("&#38;", "&amp;")
          .replaceAll("&#60;", "&lt;")
          .replaceAll("&#62;", "&gt;")
          .replaceAll("&#34;", "&quot;")
          .replaceAll("&#39;", "'")
          .replaceAll("&#13;", "\r");
        const expected = said.map(redact).map(escape);
        expect(read).toBe(expected.map((one) => `<failure message="${one}">${one}</failure>\n`).join(""));
      }),
    );
  });

  it.each(["&#81;z7-secret", "&#x51;z7-secret", "Qz7-secret"])("reads entities: %s", (written) => {
    const { redactMarkup } = createRedactor(["Qz7-secret"]);
    expect(redactMarkup(`<a b='${written}'>${written}&#1114112;</a>`)).toBe(`<a b='${mask}'>${mask}&#38;#1114112;</a>`);
  });
});
