import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyText } from "../__fixtures__/any-text.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { createRedactor } from "../redaction/redactor.js";
import { decodeRecord as decode, reviveTrial } from "./decode-record.js";
import { encodeRecord } from "./encode-record.js";
import type { JournalRecord } from "./journal-record.js";
import {
  erroredTrial,
  passedTrial,
  sampleAttempt,
  sampleHeader,
  sampleIdentity,
  sampleTurn,
  trialRecord,
} from "./__fixtures__/sample-records.js";

/** The record of a line; null for one that is none. */
function decodeRecord(line: string): JournalRecord | null {
  const decoded = decode(line);
  return decoded.success ? decoded.data : null;
}

const redactor = createRedactor(["the-secret"]);
const place = { caseId: "s/t@m", trial: 1, occurrence: 1, tool: "pay", args: { amount: 3 } };

describe("encodeRecord", () => {
  it.each<JournalRecord>([
    sampleHeader(),
    { kind: "session", at: 7 },
    trialRecord(passedTrial()),
    trialRecord(passedTrial(), { isRescored: true }),
    { kind: "intent", at: 8, identity: sampleIdentity, ...place },
    { kind: "outcome", at: 9, ...place, outcome: { ok: true, value: [1, null, "x"] } },
  ])("writes a line that reads back as what it was: $kind", (record) => {
    const line = encodeRecord(record, redactor);
    expect(line).not.toContain("\n");
    expect(decodeRecord(line)).toEqual(record);
  });

  it("brings every text back, whatever is in it", () => {
    const text = anyText().map((written) => written.replaceAll("the-secret", ""));
    fc.assert(
      fc.property(text, text, fc.jsonValue({ maxDepth: 3 }), (output, caseId, args) => {
        const trial = passedTrial({ output, caseId });
        const line = encodeRecord(trialRecord(trial), createRedactor([]));
        expect(line).not.toMatch(/[\n\r]/);
        expect(decodeRecord(line)).toEqual(JSON.parse(JSON.stringify(trialRecord(trial))));
        const intent: JournalRecord = { kind: "intent", at: 1, identity: sampleIdentity, ...place, args };
        expect(decodeRecord(encodeRecord(intent, createRedactor([])))).toEqual(JSON.parse(JSON.stringify(intent)));
      }),
    );
  });

  it("brings errors back with their causes, in failed and in retried attempts", () => {
    const deepest = new TypeError("deepest");
    const cause = new Error("above", { cause: deepest });
    const error = kindlmError("PROVIDER_TIMEOUT", "Too slow", { details: { provider: "openai" }, cause });
    const turns = [sampleTurn([sampleAttempt({ error }), sampleAttempt({ attempt: 2 })])];
    const simulatedUser = {
      model: "m",
      stoppedBy: "goal" as const,
      turns: 1,
      requests: 2,
      costUsd: 0,
      unpricedRequests: 0,
      usage: { inputTokens: 1, outputTokens: 1 },
      conversation: [],
      calls: turns,
    };
    for (const trial of [passedTrial({ turns }), erroredTrial({ turns }, error), passedTrial({ simulatedUser })]) {
      const read = decodeRecord(encodeRecord(trialRecord(trial), redactor));
      const revived = reviveTrial(read?.kind === "trial" ? read.trial : passedTrial());
      const { status, turns: kept, error: brought } = revived;
      expect({ status, turns: kept.length, code: brought?.code }).toEqual({
        status: trial.status,
        turns: trial.turns.length,
        code: trial.error?.code,
      });
      const errors = [
        revived.error,
        revived.turns[0]?.attempts[0]?.error,
        revived.simulatedUser?.calls[0]?.attempts[0]?.error,
      ];
      for (const one of errors.filter((each) => each !== null && each !== undefined)) {
        expect(one.cause).toBeInstanceOf(Error);
        expect(one.cause?.stack).toBe(cause.stack);
        expect(one.cause?.cause).toMatchObject({ name: "TypeError", message: "deepest" });
      }
      expect(errors.some((found) => found !== null && found !== undefined)).toBe(true);
    }
  });

  it("masks secrets, and stays JSON", () => {
    const line = encodeRecord(trialRecord(passedTrial({ output: 'say "the-secret"' })), redactor);
    expect(line).not.toContain("the-secret");
    expect(decodeRecord(line)).toMatchObject({ trial: { output: 'say "[redacted]"' } });
  });

  it("keeps the digest of an image in place of it, and nothing that only the next request would need", () => {
    const data = Buffer.from("an image").toString("base64");
    const image = { type: "image" as const, source: { kind: "base64" as const, mediaType: "image/png", data } };
    const linked = { type: "image" as const, source: { kind: "url" as const, url: "https://a.example/b.png" } };
    const messages = [
      { role: "user" as const, content: [{ type: "text" as const, text: "look" }, image, linked] },
      { role: "assistant" as const, text: "seen", toolCalls: [], providerData: { signature: "x" } },
    ];
    const digest = createHash("sha256").update(data).digest("hex");
    expect(decodeRecord(encodeRecord(trialRecord(passedTrial({ messages })), redactor))).toMatchObject({
      trial: {
        messages: [
          { content: [{ text: "look" }, { source: { mediaType: "image/png", data: `sha256:${digest}` } }, linked] },
          { role: "assistant", text: "seen", toolCalls: [] },
        ],
      },
    });
    expect(encodeRecord(trialRecord(passedTrial({ messages })), redactor)).not.toContain("providerData");
  });

  it("writes what JSON does not know as well as it can", () => {
    const circular: Record<string, unknown> = { big: 10n };
    circular["self"] = circular;
    const line = encodeRecord({ kind: "outcome", at: 1, ...place, outcome: circular }, redactor);
    expect(decodeRecord(line)).toMatchObject({ outcome: { big: "10", self: "[…]" } });
  });
});

describe("decodeRecord", () => {
  const edited = (change: (trial: Record<string, unknown>) => void): string => {
    const record = trialRecord(passedTrial({ turns: [sampleTurn([sampleAttempt()])] }));
    const trial: Record<string, unknown> = structuredClone({ ...record.trial });
    change(trial);
    return JSON.stringify({ ...record, trial });
  };

  it.each(["", "{", "\0\0"])("takes %j for torn", (line) => {
    expect(decode(line)).toEqual({ success: false, error: { kind: "unparseable" } });
  });

  it.each([
    ["null", "", "must be an object"],
    ["[]", "", "must be an object"],
    ["{}", "kind", 'must be one of "run", "session", "trial", "intent", "outcome"'],
    ['{"kind":"other"}', "kind", 'must be one of "run", "session", "trial", "intent", "outcome"'],
    ['{"kind":"session"}', "at", "must be a number"],
    ['{"kind":"trial","at":1,"identity":{"agentHash":"a"}}', "identity.setupHash", "must be a string"],
    [edited((trial) => (trial["caseId"] = 1)), "trial.caseId", "must be a string"],
    [edited((trial) => (trial["latencyMs"] = "12")), "trial.latencyMs", "must be a number"],
    [edited((trial) => delete trial["turns"]), "trial.turns", "must be a list"],
    [edited((trial) => (trial["turns"] = [{}])), "trial.turns[0].turn", "must be a whole number"],
    [edited((trial) => (trial["usage"] = { inputTokens: 1 })), "trial.usage.outputTokens", "must be a whole number"],
    [edited((trial) => (trial["status"] = "fine")), "trial.status", 'must be one of "passed", "failed", "errored"'],
    [edited((trial) => (trial["status"] = "errored")), "trial.error", "does not fit the status errored"],
    [edited((trial) => (trial["recorded"] = false)), "trial.recorded", "must be true"],
    [
      edited((trial) => (trial["error"] = { code: "NO", message: "" })),
      "trial.error.code",
      "must be the code of an error",
    ],
    [
      edited((trial) => (trial["messages"] = [{ role: "user", content: 1 }])),
      "trial.messages[0].content",
      "must be a list",
    ],
  ])("does not believe %s", (line, path, problem) => {
    expect(decode(line)).toEqual({ success: false, error: { kind: "flawed", flaw: { path, problem } } });
  });

  it("accepts what was masked, whatever it was", () => {
    const line = edited((trial) => Object.assign(trial, { latencyMs: "[redacted]", finishReason: "[redacted]x" }));
    expect(decode(line)).toMatchObject({ success: true });
  });
});
