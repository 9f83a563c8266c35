import { createRedactor } from "../../redaction/redactor.js";
import type { BaselineEntry, BaselineHeader } from "../baseline.js";
import { renderBaseline } from "../change-baseline.js";

export const sampleHeader: BaselineHeader = {
  suite: "orders",
  setAt: "2026-01-02T03:04:05.678Z",
  kindlm: "0.1.0",
  runId: "20260102-030405678-abcdef",
  seed: 7,
  commit: "0123456789abcdef0123456789abcdef01234567",
  note: 'a "new" prompt — €',
};

export function sampleEntry(caseId: string, more: Partial<BaselineEntry> = {}): BaselineEntry {
  return {
    caseId,
    passes: 2,
    trials: 3,
    required: 2,
    isPassed: true,
    checkHash: "aaaaaaaaaaaaaaaa",
    agentHash: "bbbbbbbbbbbbbbbb",
    agent: { prompt: "1111111111111111", model: "2222222222222222" },
    servedBy: "m-2026",
    calls: ['lookup {"id":"ORD-1"}', "refund …"],
    outputHash: "cccccccccccccccc",
    output: "Line one\nline “two” \u001b[31m",
    scores: { "1 contains": 1, "2 judge": 0.8333 },
    costUsd: 0.00123,
    latencyMs: 812.5,
    ...more,
  };
}

/** The file of a baseline, with these secrets masked. */
export function sampleText(entries: readonly BaselineEntry[], secrets: readonly string[] = []): string {
  return [...renderBaseline(sampleHeader, entries, createRedactor(secrets).redactJson)].join("");
}
