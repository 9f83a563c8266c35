import { inflateRawSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { embedText, keepScript } from "./embed.js";

const dataIn = (element: string): string => /">([^<]*)</.exec(element)?.[1] ?? "";
const textIn = (element: string): string => inflateRawSync(Buffer.from(dataIn(element), "base64")).toString();

describe("embedText", () => {
  it("is coded again until the redactor leaves it alone, and says the same", async () => {
    const first = dataIn(await embedText("a", "some text", (text) => text));
    const looksLikeKey = first.slice(2, 10);
    const again = await embedText("a", "some text", (text) => text.replaceAll(looksLikeKey, "[redacted]"));
    expect(dataIn(again)).not.toContain(looksLikeKey);
    expect(textIn(again).trimStart()).toBe("some text");
  });

  it("gives up on what always looks like a secret", async () => {
    await expect(embedText("a", "some text", () => "[redacted]")).rejects.toThrow("without looking like a secret");
  });
});

describe("keepScript", () => {
  const hide =
    (...secrets: string[]) =>
    (text: string): string =>
      secrets.reduce((shown, secret) => shown.replaceAll(secret, "[redacted]"), text);

  it("leaves a script alone in which there is no secret", () => {
    expect(keepScript("document.title", hide("other"))).toBe("document.title");
  });

  it("escapes words that are secrets, so that the script does the same", () => {
    const script = 'globalThis.document={};return "document".length+globalThis.document.constructor.name';
    const kept = keepScript(script, hide("document", "constructor"));
    expect(hide("document", "constructor")(kept)).toBe(kept);
    expect(kept).not.toBe(script);
    expect(kept.replaceAll(/\\u00(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))).toBe(
      script,
    );
  });
});
