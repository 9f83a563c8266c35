import { describe, expect, it } from "vitest";
import { createManualClock } from "../__fixtures__/manual-clock.js";
import type { PlannedCase } from "../plan/run-plan.js";
import { createRedactor } from "../redaction/redactor.js";
import type { RunnableTool } from "../tools/tool-config.js";
import type { HandlerOutcome, ToolHandler } from "../tools/tool-handler.js";
import { createEffectGuard } from "./create-effect-guard.js";
import type { IntentRecord, JournalRecord, OutcomeRecord } from "./journal-record.js";
import { createUnfinishedCalls } from "./unfinished-calls.js";
import { sampleIdentity } from "./__fixtures__/sample-records.js";

const planned = { id: "c" } as PlannedCase;
const { agentHash, setupHash } = sampleIdentity;
const at = { at: 1, caseId: "c", trial: 1, occurrence: 1, tool: "pay", args: { amount: 3 } };
const intent: IntentRecord = { kind: "intent", identity: { agentHash, setupHash }, ...at };
const outcome: OutcomeRecord = { kind: "outcome", ...at, outcome: { ok: true, value: "paid before" } };

/** Calls pay with what stands in the journal already; tells what was called and written. */
function scene(records: readonly (IntentRecord | OutcomeRecord)[], changes: Partial<RunnableTool> = {}) {
  const happened: string[] = [];
  const written: JournalRecord[] = [];
  const unfinished = createUnfinishedCalls();
  for (const record of records) {
    if (record.kind === "intent") unfinished.began(record);
    else unfinished.answered(record);
  }
  const guard = createEffectGuard({
    clock: createManualClock({ start: 7 }),
    redactor: createRedactor(["the-secret"]),
    unfinished,
    identify: () => sampleIdentity,
    async write(record) {
      await Promise.resolve();
      happened.push(record.kind);
      written.push(record);
    },
  });
  const handler = {
    execute: () => {
      happened.push("call");
      return Promise.resolve({ ok: true, value: "paid now" });
    },
  } as unknown as ToolHandler;
  const tool = {
    kind: "module",
    name: "pay",
    attributes: { no_effect: false },
    createHandler: () => handler,
    ...changes,
  } as unknown as RunnableTool;
  const [guarded] = guard.guard([tool], planned, 1);
  const made =
    guarded !== undefined && "createHandler" in guarded ? guarded.createHandler(undefined as never) : handler;
  const audit: { resumed?: string } = {};
  const call = (args: unknown = { amount: 3 }): Promise<HandlerOutcome> =>
    Promise.resolve(made.execute(args as never, { audit } as never));
  return { call, happened, written, audit, isGuarded: guarded !== tool };
}

describe("createEffectGuard", () => {
  it("writes down a call before it is made, and its answer afterwards", async () => {
    const { call, happened, written } = scene([]);
    expect(await call({ amount: "the-secret" })).toEqual({ ok: true, value: "paid now" });
    await Promise.resolve();
    expect(happened).toEqual(["intent", "call", "outcome"]);
    expect(written).toMatchObject([
      { at: 7, occurrence: 1, identity: sampleIdentity },
      { outcome: { value: "paid now" } },
    ]);
  });

  it("gives the answer that a call had before, and makes it no more; the next one like it is made", async () => {
    const { call, happened, audit, written } = scene([intent, outcome]);
    expect(await call()).toEqual({ ok: true, value: "paid before" });
    expect({ happened, audit }).toEqual({ happened: [], audit: { resumed: "answered_before" } });
    expect(await call()).toEqual({ ok: true, value: "paid now" });
    expect(written[0]).toMatchObject({ kind: "intent", occurrence: 2 });
  });

  it("seals a call of which nobody knows what became", async () => {
    const { call, happened, audit } = scene([intent]);
    expect(await call()).toMatchObject({ ok: false, failure: { errorType: "aborted", retryable: false } });
    expect({ happened, audit }).toEqual({ happened: [], audit: { resumed: "sealed" } });
  });

  it.each([
    ["other arguments", [intent], { amount: 4 }],
    ["another agent", [{ ...intent, identity: { agentHash: "x", setupHash } }], { amount: 3 }],
    ["another setup", [{ ...intent, identity: { agentHash, setupHash: "x" } }], { amount: 3 }],
    ["another trial", [{ ...intent, trial: 2 }], { amount: 3 }],
    ["another tool", [{ ...intent, tool: "look" }], { amount: 3 }],
  ])("makes a call like one that was cut off, but of %s", async (_name, records, args) => {
    const { call, happened } = scene(records);
    expect(await call(args)).toEqual({ ok: true, value: "paid now" });
    expect(happened).toContain("call");
  });

  it("knows a call again although its arguments were masked", async () => {
    const { call, audit } = scene([{ ...intent, args: { to: "[redacted]" } }]);
    await call({ to: "the-secret" });
    expect(audit.resumed).toBe("sealed");
  });

  it.each<[string, Partial<RunnableTool>]>([
    ["may be called again", { attributes: { no_effect: true, readonly: false } }],
    ["are simulated", { kind: "simulated" }],
  ])("leaves tools alone that %s", (_name, changes) => {
    expect(scene([intent], changes).isGuarded).toBe(false);
  });
});
