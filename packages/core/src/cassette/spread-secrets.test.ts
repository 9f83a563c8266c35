import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRedactor, mask } from "../redaction/redactor.js";
import { withoutSpreadSecrets } from "./stream-pieces.js";

const secret = 'the"secret-value';
const { redact } = createRedactor([secret]);
const chat = (delta: object): string => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`;

interface ChatEvent {
  choices: { delta: { content: string } }[];
}

/** The text cut at these places. */
function cutAt(text: string, places: readonly number[]): string[] {
  const ends = [...places.map((place) => place % (text.length + 1)), text.length].toSorted((a, b) => a - b);
  return ends.map((end, order) => text.slice(ends[order - 1] ?? 0, end));
}

describe("withoutSpreadSecrets", () => {
  it("leaves nothing of a secret that comes in any pieces, and the text is what masking it whole gives", () => {
    const words = fc.array(fc.constantFrom(secret, "so ", "é", "\n"), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(words, fc.array(fc.nat(200), { maxLength: 20 }), (said, places) => {
        const text = said.join("");
        const parts = cutAt(text, places).map((content) => chat({ content }));
        const kept = withoutSpreadSecrets([...parts, "data: [DONE]\n\n"], redact).map(redact);
        expect(kept).toHaveLength(parts.length + 1);
        expect(kept.at(-1)).toBe("data: [DONE]\n\n");
        const read = kept.slice(0, -1).map((part) => JSON.parse(part.slice(6)) as ChatEvent);
        expect(read.map((event) => event.choices[0]?.delta.content).join("")).toBe(redact(text));
      }),
    );
  });

  it("leaves every byte of a stream without secrets", () => {
    const parts = [
      'event: a\r\ndata: { "x" : 1.0 }\r\n\r\n',
      chat({ content: "the" }),
      ": ping\n\n",
      "{no json}\n",
      "data: 5\n\n",
    ];
    expect(withoutSpreadSecrets(parts, redact)).toEqual(parts);
  });

  it("tells apart what comes side by side, in events and in lists", () => {
    const call = (index: number, text: string): string =>
      chat({ tool_calls: [{ index, function: { arguments: text } }] });
    const args = ['{"a":"the\\"sec', 'ret-value"}'];
    const between = call(1, "other");
    const kept = withoutSpreadSecrets([call(0, args[0] ?? ""), between, call(0, args[1] ?? "")], redact);
    expect(kept).toEqual([call(0, `{"a":"${mask}"}`), between, call(0, "")]);
    const block = (index: number, text: string): string =>
      `event: delta\ndata: ${JSON.stringify({ index, delta: { text } })}\n\n`;
    expect(withoutSpreadSecrets([block(0, 'the"sec'), block(1, "x"), block(0, "ret-value")], redact)).toEqual([
      block(0, mask),
      block(1, "x"),
      block(0, ""),
    ]);
  });

  it("takes what every event repeats for no text", () => {
    const parts = Array.from({ length: 9 }, () => `data: ${JSON.stringify({ model: "sk-tiny" })}\n\n`);
    expect(redact("sk-tiny".repeat(9))).toBe(mask);
    expect(withoutSpreadSecrets(parts, redact)).toEqual(parts);
  });

  it("reads lines of JSON as well", () => {
    const line = (content: string): string => `${JSON.stringify({ message: { content } })}\n`;
    expect(withoutSpreadSecrets([line('the"sec'), line("ret-value.")], redact)).toEqual([line(`${mask}.`), line("")]);
  });
});
