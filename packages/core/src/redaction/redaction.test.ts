import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redactValue } from "./redact-value.js";
import { createRedactor, mask, maskTexts } from "./redactor.js";
import { secretValues } from "./secret-values.js";

/** Characters that appear in no mask and no filler, so that an occurrence is always a leak. */
const secrets = fc.string({
  unit: fc.constantFrom(...Array.from('QXZJV0189/+=&?% "\\\nü')),
  minLength: 6,
  maxLength: 40,
});
const filler = fc.string({ unit: fc.constantFrom(...Array.from("abc .,{}:\n")), maxLength: 30 });

const encodings: readonly [string, (secret: string) => string][] = [
  ["plain", (secret) => secret],
  ["JSON", (secret) => JSON.stringify(secret).slice(1, -1)],
  ["URL", encodeURIComponent],
  ["base64", (secret) => Buffer.from(secret).toString("base64")],
];

describe("createRedactor", () => {
  it.each(encodings)("leaks no secret in its %s form, wherever it stands", (_, encode) => {
    fc.assert(
      fc.property(fc.array(secrets, { minLength: 1, maxLength: 4 }), fc.array(filler), (values, fillers) => {
        const redactor = createRedactor(values);
        const text = values.map((value, index) => `${fillers[index] ?? ""}${encode(value)}`).join("a");
        const shown = redactor.redact(text);
        for (const value of values) expect(shown).not.toContain(encode(value));
      }),
    );
  });

  it("finds a secret at every offset of base64, as basic authentication puts it", () => {
    const redactor = createRedactor(["correct-horse-battery"]);
    for (const user of ["", "u", "us", "use"]) {
      const header = Buffer.from(`${user}:correct-horse-battery`).toString("base64");
      const shown = redactor.redact(`Basic ${header}`);
      expect(shown).toContain(mask);
      expect(Buffer.from(shown.slice(6), "base64").toString()).not.toContain("horse");
    }
  });

  it.each([
    "sk-abcdefghijklmnopqrstuvwx",
    "sk-ant-api03-abcdefghijklmnop",
    "AIzaSyA1234567890abcdefghijklmnopqrstuv",
    "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    "github_pat_11ABCDEFG0abcdefghijklmnop",
    "xoxb-123456789012-abcdef",
    "AKIAIOSFODNN7EXAMPLE",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
  ])("masks what looks like a key: %s", (key) => {
    expect(createRedactor([]).redact(`key=${key}, and so on`)).toBe(`key=${mask}, and so on`);
  });

  it("keeps the scheme of an authorization header", () => {
    expect(createRedactor([]).redact("Bearer abcdefghijklmnop1234")).toBe(`Bearer ${mask}`);
  });

  it.each(["risk-management-of-everything", "a bearer of news", "sk-short", "the eyJ prefix"])("leaves %s", (text) => {
    expect(createRedactor([]).redact(text)).toBe(text);
  });

  it("leaves short values and masks the longer of two that start alike", () => {
    const redactor = createRedactor(["short", "abcdef", "abcdefghi"]);
    expect(redactor.redact("short abcdefghi")).toBe(`short ${mask}`);
  });

  it("learns secrets later", () => {
    const redactor = createRedactor([]);
    redactor.add(["later-secret"]);
    expect(redactor.redact("a later-secret")).toBe(`a ${mask}`);
  });

  it("takes time in proportion to the text", () => {
    const redactor = createRedactor(["sk-secret-value"]);
    for (const unit of ["eyJ", "sk-", "Bearer ", "a.", "AKIA"]) {
      expect(redactor.redact(unit.repeat(200_000)).length).toBeGreaterThan(0);
    }
  }, 5_000);
});

describe("maskTexts", () => {
  it("masks texts of any length, and none when there is none", () => {
    expect(maskTexts(["555", 'a"b'])('call 555 or {"x":"a\\"b"}')).toBe(`call ${mask} or {"x":"${mask}"}`);
    expect(maskTexts([])("call 555")).toBe("call 555");
  });
});

describe("redactValue", () => {
  it("redacts keys and values and keeps what JSON can carry", () => {
    const cycle: Record<string, unknown> = { secret1: ["secret1", 1, true, null] };
    cycle["self"] = cycle;
    expect(redactValue(cycle, (text) => text.replaceAll("secret1", "*"))).toEqual({
      "*": ["*", 1, true, null],
      self: "[…]",
    });
    expect(redactValue({ a: undefined, b: Number.NaN, c: 1n, d: new Date(0) }, (text) => text)).toEqual({
      b: null,
      c: "1",
      d: "1970-01-01T00:00:00.000Z",
    });
  });
});

describe("secretValues", () => {
  it("takes the variables named and those named like a secret", () => {
    const env = {
      OPENAI_API_KEY: "k1",
      PWD: "/home",
      MY_THING: "k2",
      DB_PASSWORD: "k3",
      KEY_PATH: "/x",
      EMPTY_KEY: "",
      AWS_BEARER_TOKEN_BEDROCK: "k4",
      AWS_REGION: "us-east-1",
    };
    expect(secretValues(env, ["MY_THING"])).toEqual(["k1", "k2", "k3", "k4"]);
  });
});
