import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { activeMs } from "../../__fixtures__/active-ms.js";
import { evaluateWritten } from "../../__fixtures__/evaluate-written.js";
import { passesLuhn, findPii, piiKinds, passesMod97 } from "./find-pii.js";

const all = new Set(piiKinds);
const found = (text: string): string[] => findPii(text, all, []).map((finding) => `${finding.kind}: ${finding.text}`);

describe("findPii finds", () => {
  it.each([
    ["Write to jane.doe+tag@example.co.uk.", "email: jane.doe+tag@example.co.uk"],
    ["mail:o'hara@example.com,", "email: o'hara@example.com"],
    ["<müller@bücher.example>", "email: müller@bücher.example"],
    ["a@b.io", "email: a@b.io"],
    ["12345@163.com", "email: 12345@163.com"],
    ["git@example.com is an address", "email: git@example.com"],
    ["SSN 123-45-6789.", "ssn: 123-45-6789"],
    ["123‑45‑6789", "ssn: 123‑45‑6789"],
    ["Your social security number is 123 45 6789", "ssn: 123 45 6789"],
    ["ssn: 123456789", "ssn: 123456789"],
    ["Card 4111 1111 1111 1111, thanks", "card: 4111 1111 1111 1111"],
    ["4111-1111-1111-1111", "card: 4111-1111-1111-1111"],
    ["4111111111111111", "card: 4111111111111111"],
    ["(5555555555554444)", "card: 5555555555554444"],
    ["3782 822463 10005", "card: 3782 822463 10005"],
    ["378282246310005", "card: 378282246310005"],
    ["2223003122003222", "card: 2223003122003222"],
    ["6011111111111117", "card: 6011111111111117"],
    ["3056 930902 5904", "card: 3056 930902 5904"],
    ["card:4242424242424242.", "card: 4242424242424242"],
    ["DE89370400440532013000", "iban: DE89370400440532013000"],
    ["IBAN: DE89 3704 0044 0532 0130 00", "iban: DE89 3704 0044 0532 0130 00"],
    ["gb29 nwbk 6016 1331 9268 19", "iban: gb29 nwbk 6016 1331 9268 19"],
    ["NO9386011117947.", "iban: NO9386011117947"],
    ["Call (415) 555-2671 now", "phone: (415) 555-2671"],
    ["415-555-2671", "phone: 415-555-2671"],
    ["555-123-4567", "phone: 555-123-4567"],
    ["415.555.2671.", "phone: 415.555.2671"],
    ["415 555 2671", "phone: 415 555 2671"],
    ["1-800-555-0199", "phone: 1-800-555-0199"],
    ["+1 415 555 2671", "phone: +1 415 555 2671"],
    ["+1 (415) 555-2671,", "phone: +1 (415) 555-2671"],
    ["+14155552671", "phone: +14155552671"],
    ["+49 30 1234567", "phone: +49 30 1234567"],
    ["+49 (0)30 1234567", "phone: +49 (0)30 1234567"],
    ["+442079460958", "phone: +442079460958"],
    ["+33 1 23 45 67 89", "phone: +33 1 23 45 67 89"],
    ["01 23 45 67 89", "phone: 01 23 45 67 89"],
    ["020 7946 0958", "phone: 020 7946 0958"],
    ["0171/1234567", "phone: 0171/1234567"],
    ["(030) 12345678", "phone: (030) 12345678"],
    ["0171-1234567", "phone: 0171-1234567"],
    [String.raw`{"text":"call\n415-555-2671"}`, "phone: 415-555-2671"],
    ["phone: 5551234567", "phone: 5551234567"],
    ["Phone number is 555-1234.", "phone: 555-1234"],
    ["call me at 5551234567", "phone: 5551234567"],
    ["Tel. 0301234567", "phone: 0301234567"],
  ])("%s", (text, expected) => {
    expect(found(text)).toEqual([expected]);
  });

  it("everything in a text, in its order, each piece once", () => {
    const text = "a@b.io, 4111 1111 1111 1111, 123-45-6789, +49 30 1234567, DE89 3704 0044 0532 0130 00, a@b.io";
    expect(found(text).map((finding) => finding.split(":")[0])).toEqual([
      "email",
      "card",
      "ssn",
      "phone",
      "iban",
      "email",
    ]);
  });
});

describe("findPii lets pass", () => {
  it.each([
    ["order ids", "ORD-1, ORD-123-45-6789, order #555-123-4567, 112-1234567-1234567, A4111111111111111"],
    ["long ids", "Order 1234567890123456 and 9876543210, tracking 1Z999AA10123456784, ref 20240115093000123"],
    ["a number with the length of a card and a wrong check digit", "4111 1111 1111 1112"],
    ["a number with a right check digit in no range of cards", "1234567812345670 and 0000000000000000"],
    ["bar codes", "4006381333931, 9780306406157, 00012345600012"],
    ["ISBN", "ISBN 978-3-16-148410-0 and 0-306-40615-2"],
    ["Unix times", "1700000000, 1700000000000, 1700000000000000, created_at=1700000000"],
    ["ISO dates", "2024-01-15, 2024-01-15T10:30:00+02:00, 2024-01-15T10:30:00.123456Z"],
    ["dates", "01-02-2024, 01.02.2024, 01/02/2024 10:30, 05-06-2024 1234, 01.02.2024 10.30"],
    ["UUIDs", "123e4567-e89b-12d3-a456-426614174000 12345678-1234-4123-8123-123456789012"],
    ["hashes", "sha256:4111111111111111aabb9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"],
    ["prices", "$1,234,567.89, 1.234.567,89 €, $555 123 4567, 49.99, 415 555 2671 EUR, +12.345.678 USD"],
    ["version numbers", "v1.2.3, 10.15.7, 2.0.0-rc.1+20240115, lodash@4.17.21, pkg@1.0.0-beta.rc, node@20.x"],
    ["addresses of machines", "192.168.1.100, 127.0.0.1:8080, fe80::1ff:fe23:4567:890a, git@github.com:org/repo.git"],
    ["coordinates", "+52.520008, +13.404954 and 52.520008"],
    ["handles and decorators", "@jane, user@localhost, @angular/core, a @ b.com"],
    ["arithmetic", "5+14155552671, 415-555-26710, 1e+12345678"],
    ["paths", "/orders/415-555-2671/items, https://x.io/0171-1234567"],
    ["impossible social security numbers", "000-12-3456, 666-12-3456, 912-34-5678, 123-00-4567, 123-45-0000"],
    ["an IBAN with a wrong checksum", "DE88370400440532013000"],
    ["an IBAN of a wrong length", "DE8937040044053201300"],
    ["what only begins like an IBAN", "DE89 is a state code; GB29 NWBK"],
    ["tool calls", "call_1700000000, tool call 1700000000, I recall 1700000000"],
    ["amounts", "+12345678 points, +12 345 678, +5%, 12 345 678 901, 200 300 400"],
    ["a plain answer", "Your order was delivered on 15 January 2024 at 10:30, total 49.99 for 2 items."],
  ])("%s", (_, text) => {
    expect(found(text)).toEqual([]);
  });
});

describe("findPii", () => {
  it("takes time in line with the length of the text", () => {
    for (const piece of ["a", "1", "@", "a@", "+1 ", "0 ", "DE89 ", "555-", "(", "1 ", "01 23 "]) {
      const text = piece.repeat(Math.floor(50_000 / piece.length));
      expect(
        activeMs(() => findPii(text, all, [])),
        JSON.stringify(piece),
      ).toBeLessThan(1_000);
    }
  });

  it("finds only what it is asked for", () => {
    expect(findPii("a@b.io 123-45-6789", new Set(["ssn"]), [])).toMatchObject([{ kind: "ssn", index: 7 }]);
  });

  it("points at what it found", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), fc.string({ maxLength: 20 }), (before, after) => {
        const text = `${before} a@b.io 123-45-6789 ${after}`;
        for (const finding of findPii(text, all, [])) {
          expect(text.slice(finding.index, finding.index + finding.text.length)).toBe(finding.text);
        }
      }),
    );
  });
});

describe("checksums", () => {
  it("Luhn refuses any single wrong digit", () => {
    const digits = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 2, maxLength: 19 });
    fc.assert(
      fc.property(digits, fc.nat(), fc.integer({ min: 1, max: 9 }), (list, place, change) => {
        const valid = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
          .map((check) => [...list, check])
          .filter((candidate) => passesLuhn(candidate.join("")));
        expect(valid).toHaveLength(1);
        const changed = [...(valid[0] ?? [])];
        const at = place % changed.length;
        changed[at] = ((changed[at] ?? 0) + change) % 10;
        expect(passesLuhn(changed.join(""))).toBe(false);
      }),
    );
  });

  it("MOD 97-10 refuses two characters that changed places", () => {
    const iban = "GB29NWBK60161331926819";
    expect(passesMod97(iban)).toBe(true);
    for (let at = 4; at < iban.length - 1; at += 1) {
      const [a = "", b = ""] = iban.slice(at, at + 2);
      if (a !== b) expect(passesMod97(iban.slice(0, at) + b + a + iban.slice(at + 2))).toBe(false);
    }
  });
});

describe("no_pii", () => {
  const evaluate = (config: Record<string, unknown>, output: string) =>
    evaluateWritten({ type: "no_pii", ...config }, { output });

  it.each([
    ["a@b.io", "an e-mail address (a***@***.io)"],
    ["jane.doe@example.com", "an e-mail address (j***@***.com)"],
    ["4111 1111 1111 1111", "a card number (**** **** **** 1111)"],
    ["123-45-6789", "a social security number (***-**-**89)"],
    ["+49 30 1234567", "a phone number (+** ** *****67)"],
    ["DE89370400440532013000", "an IBAN (******************3000)"],
  ])("masks %s and hands it on as sensitive", async (text, words) => {
    const result = await evaluate({}, `It is ${text} now`);
    expect(result).toMatchObject({
      data: {
        pass: false,
        score: 0,
        message: `Expected no personal data in the answer, but found ${words}`,
        sensitive: [text],
      },
    });
    const { sensitive: _, ...shown } = result.success ? result.data : { sensitive: [] };
    expect(JSON.stringify(shown)).not.toContain(text);
  });

  it("lists the first three", async () => {
    expect(await evaluate({}, "a@b.io c@d.io e@f.io g@h.io i@j.io")).toMatchObject({
      data: { message: expect.stringMatching(/\(e\*\*\*@\*\*\*\.io\) and 2 more$/) },
    });
  });

  it.each([
    [{ allow: ["support@example.com"] }, "Write to Support@Example.com", true],
    [{ allow: ["*@example.com"] }, "jane@example.com", true],
    [{ allow: ["*@example.com"] }, "jane@example.com.evil.io", false],
    [{ allow: ["j*e@*.com"] }, "jane@example.com", true],
    [{ allow: ["j*x*e@b.io"] }, "jane@b.io", false],
    [{ allow: ["ab*ba@b.io"] }, "aba@b.io", false],
    [{ allow: ["+1 800 555 0199"] }, "+1 (800) 555-0199", true],
    [{ allow: ["+1 800 555 0199"] }, "+1 (800) 555-0198", false],
    [{ kinds: ["email"] }, "123-45-6789", true],
    [{ kinds: [], patterns: [{ name: "customer number", value: "C-\\d{4}" }] }, "C-1234", false],
    [{ patterns: [{ name: "customer number", value: "c-\\d{4}", flags: "i" }], allow: ["C-1234"] }, "C-1234", true],
    [{ patterns: [{ name: "empty", value: "x*" }] }, "abc", true],
  ])("%j on %s: %s", async (config, output, pass) => {
    expect(await evaluate(config, output)).toMatchObject({ success: true, data: { pass } });
  });

  it("masks what a custom pattern finds, under its name", async () => {
    const config = { patterns: [{ name: "customer number", value: "C-\\d{4}" }] };
    expect(await evaluate(config, "C-1234")).toMatchObject({
      data: {
        message: "Expected no personal data in the answer, but found customer number (*-**34)",
        sensitive: ["C-1234"],
      },
    });
  });

  it.each([
    [{ kinds: ["e-mail"] }, '"email"'],
    [{ kinds: [] }, "Without kinds and patterns, nothing is checked"],
    [{ patterns: [{ name: "x", value: "(" }] }, "Unterminated group"],
    [{ patterns: [{ name: "x" }] }, '"value" is missing'],
  ])("refuses %j", async (config, words) => {
    const result = await evaluate(config, "");
    const diagnostics = result.success ? [] : JSON.stringify(result.error);
    expect(result).toMatchObject({ success: false, error: { code: "CONFIG_VALIDATION_ERROR" } });
    expect(diagnostics).toContain(JSON.stringify(words).slice(1, -1));
  });
});
