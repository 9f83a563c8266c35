import { createRedactor } from "@kindlm/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLineGuard } from "./create-line-guard.js";

const secret = "QXZ-17-secret VJ";
const redactor = createRedactor([secret, "123456789"]);

describe("createLineGuard", () => {
  it("shows the same whatever the pieces are in which a text comes", () => {
    const parts = fc.array(fc.constantFrom(secret, "ab ", "\n", "\r\n", "\r", "QXZ-17-sec", "ret VJ", "…"), {
      minLength: 1,
      maxLength: 30,
    });
    const cuts = fc.array(fc.nat(400), { maxLength: 10 });
    fc.assert(
      fc.property(parts, cuts, (words, at) => {
        const text = words.join("");
        const guard = createLineGuard(redactor.toSink);
        const ends = [...new Set([0, ...at, text.length])]
          .filter((cut) => cut <= text.length)
          .toSorted((a, b) => a - b);
        const pieces = ends.flatMap((end, index) => guard.take(text.slice(ends[index - 1] ?? 0, end)));
        const lines = text.split(/(?<=[\r\n])/).map(redactor.redact);
        expect([...pieces, ...guard.rest()].join("")).toBe(lines.join(""));
      }),
    );
  });

  it("waits for the end of a line, but for no end of one that is too long, and tears no secret", () => {
    fc.assert(
      fc.property(fc.nat(80), fc.integer({ min: 1, max: 40 }), (before, size) => {
        const guard = createLineGuard(redactor.toSink, 64);
        const text = `${"x".repeat(before)}${secret}${"y".repeat(150)}`;
        const pieces: string[] = [];
        for (let at = 0; at < text.length; at += size) pieces.push(...guard.take(text.slice(at, at + size)));
        expect(pieces.join("").length).toBeGreaterThan(64);
        expect([...pieces, ...guard.rest()].join("")).toBe(redactor.redact(text));
      }),
    );
  });

  it("lets control sequences through at once, and the lines before them", () => {
    const guard = createLineGuard(redactor.toSink);
    expect(guard.take("\r\u001b[1A\u001b[2K")).toEqual(["\r\u001b[1A\u001b[2K"]);
    expect(guard.take("a line\n\u001b[?25l")).toEqual(["a line\n\u001b[?25l"]);
    expect(guard.take("\u001b[31mred")).toEqual([]);
    expect(guard.rest()).toEqual(["\u001b[31mred"]);
  });

  it("keeps JSON and markup as they are, and lets go of what waits before them", () => {
    const guard = createLineGuard(redactor.toSink);
    expect(guard.take("waiting")).toEqual([]);
    expect(guard.take('{"pin":123456789}\n', "json")).toEqual(["waiting", '{"pin":"[redacted]"}\n']);
    expect(guard.take('<a b="123456789"/>\n', "markup")).toEqual(['<a b="[redacted]"/>\n']);
    expect(guard.rest()).toEqual([]);
  });
});
