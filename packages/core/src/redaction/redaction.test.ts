import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { activeMs } from "../__fixtures__/active-ms.js";
import { draws } from "../__fixtures__/draws.js";
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

const numRuns = draws({ brief: 60, full: 2_000 });

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);
const encodings: readonly [string, (secret: string) => string][] = [
  ["plain", (secret) => secret],
  ["JSON", (secret) => JSON.stringify(secret).slice(1, -1)],
  ["JSON in JSON in JSON in JSON", (secret) => escaped(escaped(escaped(escaped(secret))))],
  ["URL", encodeURIComponent],
  // Quotes around it are of no account, and which they are depends on what else is in the text.
  ["inspected", (secret) => inspect(secret).slice(1, -1)],
  ["inspected with both quotes", (secret) => inspect(`${secret}'"`).slice(1, -3)],
  ["base64", (secret) => Buffer.from(secret).toString("base64")],
  ["twice base64", (secret) => Buffer.from(Buffer.from(secret).toString("base64")).toString("base64")],
  ["hexadecimal", (secret) => Buffer.from(secret).toString("hex")],
  ["upper hexadecimal", (secret) => Buffer.from(secret).toString("hex").toUpperCase()],
  ["percent", (secret) => Buffer.from(secret).toString("hex").replaceAll(/../g, "%$&").toUpperCase()],
];

describe("createRedactor", () => {
  it("leaks no secret in any of its forms, wherever it stands", () => {
    fc.assert(
      fc.property(fc.array(secrets, { minLength: 1, maxLength: 4 }), fc.array(filler), (values, fillers) => {
        const { redact } = createRedactor(values);
        for (const [name, encode] of encodings) {
          const text = values.map((value, index) => `${fillers[index] ?? ""}${encode(value)}`).join("a");
          const shown = redact(text);
          expect([name, values.filter((value) => shown.includes(encode(value)))]).toEqual([name, []]);
        }
      }),
      { numRuns },
    );
  });

  it.each([64, 76])("finds a long secret in base64 that is wrapped at %i characters", (width) => {
    const secret = "Qz7-".repeat(40);
    const lines = Buffer.from(secret)
      .toString("base64")
      .replaceAll(new RegExp(`.{${width}}`, "g"), "$&\n");
    const shown = createRedactor([secret]).redact(lines);
    for (const line of lines.split("\n").filter(({ length }) => length >= 12)) expect(shown).not.toContain(line);
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

  it("finds the lines of a secret that has several, wherever they are printed", () => {
    const redactor = createRedactor(["-----BEGIN KEY-----\r\nMIGHAgEA/w\n  s8VNyWvC\nab\n"]);
    expect(redactor.redact("  MIGHAgEA/w\n  s8VNyWvC\n  ab")).toBe(`  ${mask}\n  ${mask}\n  ab`);
    expect(redactor.redact('"MIGHAgEA%2Fw"')).toBe(`"${mask}"`);
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

  it.each(["\\n", "\\u001b", "\u001b[1;31m", "\n", "x "])("masks a key behind %j, as a line shows it", (before) => {
    const { redact } = createRedactor([]);
    expect(redact(`${before}sk-abcdefghijklmnopqrstuvwx`)).toBe(`${before}${mask}`);
    expect(redact(`${before}eyJhbGciOiJI.eyJzdWIiOiIx`)).toBe(`${before}${mask}`);
  });

  it("finds a secret with its control characters shown", () => {
    const { redact } = createRedactor(["a\u001bb\tc\u202ed"]);
    const shown = [String.raw`a␛b${"\t"}c\u202ed`, String.raw`a␛b\tc\u202ed`];
    const ascii = [String.raw`a\u001bb${"\t"}c\u202ed`, String.raw`a\u001bb\tc\u202ed`];
    for (const text of ["a\u001bb\tc\u202ed", ...shown, ...ascii]) {
      expect(redact(text)).toBe(mask);
    }
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

  it("leaves nothing of a secret that was cut in any of its forms", () => {
    fc.assert(
      fc.property(secrets, filler, fc.nat(), (secret, around, at) => {
        const { redact } = createRedactor([secret]);
        for (const [name, encode] of encodings) {
          const whole = encode(secret);
          const cutAt = at % (whole.length + 1);
          const [start, end] = [whole.slice(0, cutAt), whole.slice(cutAt)];
          const shown = redact(`${around}${start}… and …${end}${around}`);
          if (start.length >= 6) expect(shown, name).not.toContain(`${start}…`);
          if (end.length >= 6) expect(shown, name).not.toContain(`…${end}`);
        }
      }),
      { numRuns },
    );
  });

  it("leaves other texts that were cut", () => {
    const redactor = createRedactor(["correct-horse-battery"]);
    for (const text of ["in the corre…", "…ttery is low", "corre…", "…", "correct-horse of …"]) {
      expect(redactor.redact(text)).toBe(text);
    }
    expect(redactor.redact('"not correct-hor…", …se-battery')).toBe(`"not ${mask}…", …${mask}`);
  });

  it("masks nothing twice", () => {
    const redactor = createRedactor(["redacted", "secret1"]);
    const once = redactor.redact("secret1 was redacted");
    expect(once).toBe(`${mask} was redacted`);
    expect(redactor.redact(once)).toBe(once);
  });

  it("learns secrets later", () => {
    const redactor = createRedactor([]);
    expect(redactor.redact("a later-sec…")).toBe("a later-sec…");
    redactor.add(["later-secret"]);
    expect(redactor.redact("a later-secret and later-sec…")).toBe(`a ${mask} and ${mask}…`);
  });

  it("takes time in proportion to the text", () => {
    const redactor = createRedactor(["sk-secret-value"]);
    for (const unit of ["eyJ", "sk-", "Bearer ", "a.", "AKIA", "…", "sk-secret…"]) {
      const text = unit.repeat(Math.ceil(100_000 / unit.length));
      expect(activeMs(() => void redactor.redact(text))).toBeLessThan(1_000);
    }
  });
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
      DATABASE_URL: "postgres://me:p%40ss-word@db.example/x, http://you:other-one@y",
      NO_PASSWORD: "see http://x.example:80/@a and mail a@b.example",
    };
    const inAddresses = ["p%40ss-word", "p@ss-word", "other-one", "other-one"];
    expect(secretValues(env, ["MY_THING"])).toEqual(["k1", "k2", "k3", "k4", ...inAddresses, env.NO_PASSWORD]);
  });

  it.each([
    ["PGPASSWORD", "hunter22"],
    ["MYSQL_PWD", "hunter22"],
    ["SMTP_PASS", "hunter22"],
    ["GITHUB_PAT", "hunter22"],
    ["SENTRY_DSN", "https://0123456789abcdef0123@o1.ingest.example/2", "0123456789abcdef0123"],
    ["API_URL", "https://sk_live_0123456789ab:@api.example", "sk_live_0123456789ab"],
    ["DB", "Server=db;User Id=me;Password=hunter22;", "hunter22"],
    ["DB", "host=db user=me password='hunter 22'", "hunter 22"],
    ["DB", "jdbc:postgresql://db/x?user=me&password=hunter22&ssl=true", "hunter22"],
    ["STORE", "AccountName=me;AccountKey=aHVudGVyMjI=;EndpointSuffix=x", "aHVudGVyMjI="],
  ])("knows the secret in %s=%s", (name, value, secret = value) => {
    expect(secretValues({ [name]: value })).toContain(secret);
  });

  it.each([
    ["PWD", "/home/me"],
    ["OLDPWD", "/home/me"],
    ["COMPASS", "north-north-west"],
    ["HOME_URL", "ssh://git@github.example/x"],
    ["MODE", "user=me;level=high"],
  ])("takes nothing of %s=%s for one", (name, value) => {
    expect(secretValues({ [name]: value })).toEqual([]);
  });
});
