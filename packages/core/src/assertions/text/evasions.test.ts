import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { activeMs } from "../../__fixtures__/active-ms.js";
import { anyText } from "../../__fixtures__/any-text.js";
import { draws } from "../../__fixtures__/draws.js";
import { createProcessRunner } from "../../processes/node-process-runner.js";
import { createSystemClock } from "../../values/clock.js";
import { createAssertionContext } from "../create-context.js";
import { evaluateParsed } from "../evaluate-parsed.js";
import { parseAssertion } from "../parse-assertion.js";
import { foldText } from "./folded-text.js";

const clock = createSystemClock();
const context = createAssertionContext({ clock, processes: createProcessRunner(clock) });

async function judge(raw: unknown, output: string) {
  const parsed = parseAssertion(raw, "/project");
  if (!parsed.success) throw new Error(parsed.error[0]?.message);
  const evaluated = await evaluateParsed(parsed.data, { output }, context);
  if (!evaluated.success) throw new Error(evaluated.error.message);
  return evaluated.data;
}

const passes = async (raw: unknown, output: string): Promise<boolean> => (await judge(raw, output)).pass;
const lacks = (value: string) => ({ type: "not_contains", value });
const lacksWord = (value: string) => ({ type: "keywords_absent", value: [value] });
const noPii = { type: "no_pii" };

describe("a negative check finds", () => {
  it.each([
    ["decomposed letters", lacks("Müller"), "Mu\u0308ller"],
    ["composed letters of a decomposed text", lacks("Mu\u0308ller"), "Müller"],
    ["a zero-width space between letter and mark", lacks("Müller"), "Mu\u200b\u0308ller"],
    ["no-break spaces", lacks("full refund"), "a full\u00a0refund"],
    ["narrow, ideographic and blank spaces", lacks("a b c d"), "a\u202fb\u3000c\u2800d"],
    ["several spaces and line ends", lacks("full refund"), "a full  \n refund"],
    ["curly quotes", lacks("don't"), "I don\u2019t"],
    ["a modifier apostrophe and an acute accent", lacks("don't can't"), "don\u02bct can\u00b4t"],
    ["curly double quotes", lacks('say "yes"'), "say \u201cyes\u201d"],
    ["a zero-width space", lacks("refund"), "ref\u200bund"],
    ["a soft hyphen", lacks("refund"), "re\u00adfund"],
    ["marks of direction", lacks("refund"), "\u202erefund\u202c".replace("f", "f\u2066")],
    ["variation selectors and tags", lacks("refund"), "r\ufe0fe\u{e0100}f\u{e0041}und"],
    ["joiners, a word joiner and a byte order mark", lacks("refund"), "r\u200de\u200cf\u2060u\ufeffnd"],
    ["fillers and controls", lacks("refund"), "re\u115f\u3164f\u0000u\u0007nd"],
    ["full-width letters", lacks("refund"), "ｒｅｆｕｎｄ"],
    ["letters of mathematics", lacks("refund"), "𝐫𝐞𝒇𝓾𝓷𝔡"],
    ["letters in circles and ligatures", lacks("office"), "oﬃⓒe"],
    ["strokes over letters", lacks("refund"), "r\u0336e\u0336f\u0336u\u0336n\u0336d\u0336"],
    ["lookalikes of another script within a word", lacks("refund"), "r\u0435fund"],
    ["dashes of all kinds", lacks("in-app"), "in\u2011app in\u2014app"],
    ["full-width digits", lacks("4711"), "４７１１"],
    ["Arabic, Devanagari and Thai digits", lacks("123"), "١٢٣ १२३ ๑๒๓".slice(4, 7)],
    ["digits of Adlam, which begin at 0", lacks("159"), "\u{1e951}\u{1e955}\u{1e959}"],
    ["Markdown within a number", lacks("4711"), "**47**11"],
    ["Markdown within a word", lacks("refund"), "re**fu**nd"],
    ["escapes of Markdown", lacks("ORD-1"), String.raw`ORD\-1`],
    ["HTML within a word", lacks("refund"), "re<b>fu</b><!-- x -->nd"],
    ["entities of HTML", lacks("a refund"), "a&nbsp;ref&shy;u&#110;d"],
    ["another case, folded", { ...lacks("STRASSE"), ignore_case: true }, "Straße"],
    ["a number as text", lacks("١٢"), "12"],
    ["signs, with a zero-width space between", lacks("=>"), "a =\u200b> b"],

    ["a keyword in another form", lacksWord("guarantee"), "a ｇｕａｒａｎｔｅｅ!"],
    ["a keyword with a zero-width space", lacksWord("guarantee"), "a guar\u200bantee."],
    ["a keyword in Markdown", lacksWord("guarantee"), "a **guaran**tee, a _guarantee_"],
    ["a keyword of two words", lacksWord("law suit"), "a law\u00a0\u200bsuit"],
    ["a keyword within Chinese", lacksWord("退款"), "我们会给您退款吗"],
    ["a keyword within Japanese", lacksWord("返金"), "返金いたします"],
    ["a keyword in katakana", lacksWord("キャンセル"), "注文をキャンセルします"],
    ["a keyword in half-width katakana", lacksWord("ガイド"), "そのｶﾞｲﾄﾞです"],
    ["a keyword within Thai", lacksWord("คืนเงิน"), "เราจะคืนเงินให้คุณ"],
    ["a Latin keyword within Chinese", lacksWord("VPN"), "请使用VPN吧"],
    ["a stretched Arabic keyword", lacksWord("سر"), "هذا ســـر"],

    ["a card number with dots", noPii, "4111.1111.1111.1111"],
    ["a card number in Markdown", noPii, "**4111** **1111** 1111 `1111`"],
    ["a card number with full-width digits", noPii, "４１１１ １１１１ １１１１ １１１１"],
    ["a card number with Arabic digits", noPii, "٤١١١ ١١١١ ١١١١ ١١١١"],
    ["a card number with zero-width spaces", noPii, "4111\u200b 1111\u200b 1111\u200b 1111"],
    ["a card number with middle dots", noPii, "4111·1111·1111·1111"],
    ["a card number with tags of HTML", noPii, "4111 <b>1111</b> 1111&nbsp;1111"],
    ["a social security number with a figure dash", noPii, "123\u20104\u200b5\u20106789".replace("4\u200b5", "45")],
    ["a social security number in Markdown", noPii, "123-**45**-6789"],
    ["an address with a full-width at sign", noPii, "jane＠example.com"],
    ["an address with a soft hyphen", noPii, "ja\u00adne@exam\u00adple.com"],
    ["an escaped address", noPii, String.raw`jane\_doe\@example.com`],
    ["an IBAN with dots and no-break spaces", noPii, "DE89.3704.0044.0532.0130.00 and DE89\u00a03704"],
    ["a telephone number with Devanagari digits", noPii, "+४९ ३० १२३४५६७"],
    ["a pattern of one's own", { ...noPii, patterns: [{ name: "customer", value: "K-\\d{4}" }] }, "Ｋ－１２３４"],

    ["contains with not", { type: "contains", not: true, value: "refund" }, "ref\u200bund"],
    ["starts_with with not", { type: "starts_with", not: true, value: "Sorry" }, "**Sorry**, no"],
    ["equals with not", { type: "equals", not: true, value: "No" }, "\u200bNo"],
    ["matches with not", { type: "matches", not: true, value: "^ORD-\\d+$", flags: "m" }, "x\nORD\u2011１２"],
    ["keywords_present with not", { type: "keywords_present", not: true, value: ["refund"] }, "a ref\u00adund"],
    [
      "contains in a group with not",
      {
        any_of: [
          { type: "contains", value: "refund" },
          { type: "contains", value: "credit" },
        ],
        not: true,
      },
      "ref\u200bund",
    ],
  ])("%s", async (_, assertion, output) => {
    expect(await passes(assertion, output)).toBe(false);
  });
});

describe("a negative check is not alarmed by", () => {
  it.each([
    ["a hyphen, where an em dash is forbidden", lacks("—"), "a well-known - thing"],
    ["three dots, where an ellipsis is forbidden", lacks("…"), "wait..."],
    ["letters, where ™ is forbidden", lacks("™"), "HTML and TMS"],
    ["straight quotes, where curly ones are forbidden", lacks("\u201c"), 'he said "yes"'],
    ["a space, where a no-break space is forbidden", lacks("\u00a0"), "a b"],
    ["single spaces, where two are forbidden", lacks("  "), "a b"],
    ["any text, where a zero-width space is forbidden", lacks("\u200b"), "plain text"],
    ["words, where emphasis is forbidden", lacks("**"), "plain * text"],
    ["another accent", lacks("si"), "s\u00ed, claro".slice(0, 2)],
    ["another case", lacks("Refund"), "no refund"],
    ["a power", lacks("102"), "10² = 100"],
    ["a footnote", lacks("12"), "1² and 2"],
    ["a fraction", lacks("11"), "1½ hours"],
    ["a name in snake case", lacks("refundorder"), "refund_order"],
    ["Cyrillic words", lacks("pa"), "он пасёт ра"],
    ["a comparison", lacks("ab"), "a < b and b > c"],
    ["emoji", lacks("man"), "👨‍👩‍👧 ❤️"],

    ["a word around a keyword", lacksWord("cat"), "concatenate, **con**catenate"],
    ["a longer katakana word", lacksWord("アイス"), "アイスランドへ"],
    ["a Thai letter with another mark", lacksWord("คน"), "คน\u0e34"],
    ["a Korean word with a syllable more", lacksWord("환불"), "환불하다"],

    ["card-like versions and addresses", noPii, "v4.111.1111, 192.168.1.100, 4111.1111, 4.1.1.1"],
    ["a wrong check digit", noPii, "4111.1111.1111.1112 and **4111** 1111 1111 1112"],
    ["a column of numbers", noPii, "4111\n1111\n1111\n1111"],
    ["superscripts behind numbers", noPii, "123-45-678⁹ 415-555-267¹"],
    ["prices and sums in Markdown", noPii, "**$1,234**.56 and 2*3*4 = `24`"],
    ["dates in other digits", noPii, "٢٠٢٤-٠١-١٥"],
    ["an allowed address in another form", { ...noPii, allow: ["*@example.com"] }, "**help**@example.com"],

    ["an order id with other signs", { type: "matches", not: true, value: "^ORD-\\d+$" }, "ORD/12"],
  ])("%s", async (_, assertion, output) => {
    expect(await passes(assertion, output)).toBe(true);
  });
});

describe("a positive check reads the answer as it is written", () => {
  it.each([
    [{ type: "contains", value: "refund" }, "ref\u200bund"],
    [{ type: "starts_with", value: "Sorry" }, "**Sorry**"],
    [{ type: "equals", value: "No" }, "\u200bNo"],
    [{ type: "matches", value: "^ORD-\\d+$" }, "ORD\u2011１２"],
    [{ type: "keywords_present", value: ["退款"] }, "我们会给您退款吗"],
    [{ type: "not_contains", not: true, value: "refund" }, "ref\u200bund"],
    [{ type: "keywords_absent", not: true, value: ["refund"] }, "ref\u200bund"],
    [{ type: "no_pii", not: true }, "4111 **1111** 1111 1111"],
    [{ all_of: [{ type: "contains", not: true, value: "refund" }], not: true }, "ref\u200bund"],
  ])("%j", async (assertion, output) => {
    expect(await passes(assertion, output)).toBe(false);
  });
});

describe("an evasion", () => {
  it("is shown where it is", async () => {
    const { message } = await judge(lacks("refund"), "Sure, you will get a re**fu**nd of 5 €.");
    expect(message).toContain('but it says "Sure, you will get a re**fu**nd of 5 €."');
  });

  it("is masked as it is written and as it is read", async () => {
    const written = "4111 **1111** 1111 1111";
    const { message, actual, sensitive } = await judge(noPii, `Card ${written}.`);
    expect(sensitive).toEqual([written, "4111 1111 1111 1111"]);
    expect(JSON.stringify([message, actual])).not.toContain("4111");
  });

  const noise = fc.constantFrom(
    "\u200b",
    "\u00ad",
    "\u2060",
    "\ufeff",
    "\u202e",
    "\ufe0f",
    "\u{e0061}",
    "\u034f",
    "**",
    "`",
    "~~",
  );
  const secrets = fc.constantFrom("refund", "secret plan", "4111 1111 1111 1111", "123-45-6789", "jane@example.com");
  const wide = (text: string): string =>
    text.replaceAll(/[!-~]/g, (sign) => String.fromCodePoint((sign.codePointAt(0) ?? 0) + 0xfee0));
  const styles = fc.constantFrom<(text: string) => string>(
    (text) => text,
    wide,
    (text) => text.normalize("NFD"),
  );

  it("by any noise between the characters, in any width, is found", () =>
    fc.assert(
      fc.asyncProperty(
        secrets,
        styles,
        fc.array(fc.option(noise, { freq: 2 }), { minLength: 20, maxLength: 20 }),
        async (secret, style, noises) => {
          const written = secret.split("").map((sign, index) => `${noises[index] ?? ""}${style(sign)}`);
          const output = `Here: ${written.join("")} .`;
          expect(await passes(lacks(secret), output)).toBe(false);
          expect(await passes({ type: "contains", not: true, value: secret }, output)).toBe(false);
          if (/[\d@]/.test(secret)) expect(await passes(noPii, output)).toBe(false);
          else expect(await passes({ type: "keywords_absent", value: [secret] }, output)).toBe(false);
        },
      ),
      { numRuns: draws({ brief: 150, full: 50_000 }) },
    ));

  it("never hides what the answer says as it is", () =>
    fc.assert(
      fc.asyncProperty(anyText(), anyText({ minLength: 1 }), async (text, value) => {
        const output = `${text}${value}${text}`;
        expect(await passes(lacks(value), output)).toBe(false);
        expect(await passes({ type: "not_contains", value, ignore_case: true }, output)).toBe(false);
      }),
      { numRuns: draws({ brief: 40, full: 50_000 }) },
    ));

  it("has its place within the text", () =>
    fc.assert(
      fc.property(anyText(), fc.boolean(), fc.boolean(), (text, ignoreCase, joinsLines) => {
        const folded = foldText(text, { ignoreCase, joinsLines });
        let last = 0;
        for (let at = 0; at < folded.text.length; at += 1) {
          const { index, length } = folded.placeOf(at, at + 1);
          expect(index).toBeGreaterThanOrEqual(last);
          expect(index + length).toBeLessThanOrEqual(text.length);
          last = index;
        }
        // Folding is idempotent on what it makes.
        const again = foldText(folded.text, { ignoreCase, joinsLines }).text;
        expect(foldText(again, { ignoreCase, joinsLines }).text).toBe(again);
      }),
      { numRuns: draws({ brief: 300, full: 100_000 }) },
    ));

  it("takes time in line with the length of the text", async () => {
    const pieces = [
      "a",
      "\u200b",
      "\u0301\u0316",
      "e\u200b\u0301",
      "**",
      "_",
      "a_",
      "<a",
      "<!--",
      "&",
      "&#5",
      "\\",
      "ᄒ",
      "²1",
      "０",
      "аb",
    ];
    for (const piece of [...pieces, "4111.", "a@b.io ", "+49 30 1234567 "]) {
      const output = piece.repeat(Math.floor(10_000 / piece.length));
      const took = activeMs(() => {
        void judge(lacks("refund"), output);
        void judge(lacksWord("a"), output);
        void judge(noPii, output);
      });
      expect(took, JSON.stringify(piece)).toBeLessThan(300);
    }
  });
});
