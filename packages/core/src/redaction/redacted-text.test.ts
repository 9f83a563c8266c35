import { describe, expect, it } from "vitest";
import { PreparedText, redacted } from "./redacted-text.js";
import { createRedactor } from "./redactor.js";

describe("text that is masked ahead", () => {
  it("has the secrets masked that are known when it is written", () => {
    const redactor = createRedactor(["first-secret"]);
    const text = "first-secret, second-secret";
    redactor.prepare(text, "text");
    redactor.add(["second-secret"]);
    expect(redactor.toSink(text, "text")).toBe("[redacted], [redacted]");
    expect(redactor.toSink(text, "text")).toBe("[redacted], [redacted]");
  });

  it("is masked by the format in which it is written", () => {
    const redactor = createRedactor(["1234567"]);
    const line = "[1234567]";
    redactor.prepare(line, "text");
    redactor.prepare(line, "json");
    const written = (["json", "markup", "text"] as const).map((format) => redactor.toSink(line, format));
    expect(written).toEqual(['["[redacted]"]', "[[redacted]]", "[[redacted]]"]);
  });

  it("is handed out once, and forgotten beyond eight million characters", () => {
    const prepared = new PreparedText();
    const masked = redacted`masked`;
    prepared.put("a", "json", masked);
    expect([prepared.take("a", "text"), prepared.take("a", "json"), prepared.take("a", "json")]).toEqual([
      undefined,
      masked,
      undefined,
    ]);
    prepared.put("b", "json", masked);
    prepared.put("c".repeat(8_388_600), "json", masked);
    expect(prepared.take("b", "json")).toBe(masked);
    prepared.put("d", "json", masked);
    prepared.put("e".repeat(100), "json", masked);
    expect(prepared.take("d", "json")).toBeUndefined();
  });
});
