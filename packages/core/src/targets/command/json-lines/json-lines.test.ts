import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLineSplitter, mostLineChars } from "./lines-exchange.js";
import { parseAgentLine } from "./parse-agent-line.js";

describe("createLineSplitter", () => {
  it("finds the same lines however the text is cut", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: "grapheme" }).map((line) => line.replaceAll("\n", " "))),
        fc.infiniteStream(fc.integer({ min: 1, max: 7 })),
        (written, sizes) => {
          const bytes = Buffer.from(written.join("\n"));
          const lines: string[] = [];
          const splitter = createLineSplitter((line) => lines.push(line));
          for (let at = 0; at < bytes.length;) {
            const size = Number(sizes.next().value);
            splitter.push(bytes.subarray(at, at + size));
            at += size;
          }
          splitter.end();
          expect(lines).toEqual(written.length === 0 ? [""] : written);
        },
      ),
    );
  });

  it("keeps no line without end in memory", () => {
    const lengths: number[] = [];
    const splitter = createLineSplitter((line) => lengths.push(line.length));
    splitter.push(Buffer.alloc(mostLineChars + 1, "a"));
    expect(lengths).toEqual([mostLineChars + 1]);
  });
});

describe("parseAgentLine", () => {
  it("never throws, and takes nothing for a message that is none", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (line) => {
        const parsed = parseAgentLine(line);
        expect(parsed.success ? parsed.data === null || "type" in parsed.data : parsed.error.message.length > 0).toBe(
          true,
        );
      }),
    );
  });

  it("passes over an empty line", () => {
    expect(parseAgentLine(" \r")).toEqual({ success: true, data: null });
  });
});
