import { describe, expect, it } from "vitest";
import { createManualClock } from "../__fixtures__/manual-clock.js";
import type { PlannedCase } from "../plan/run-plan.js";
import { createRedactor } from "../redaction/redactor.js";
import { success } from "../result.js";
import type { RunnableTool } from "../tools/tool-config.js";
import type { HandlerContext, HandlerOutcome, ToolHandler } from "../tools/tool-handler.js";
import { createLateness } from "../tools/call-lateness.js";
import { createEffectCalls } from "./effect-calls.js";
import { createEffectGuard } from "./create-effect-guard.js";
import type { IntentRecord, JournalRecord, OutcomeRecord } from "./journal-record.js";
import { sampleIdentity } from "./__fixtures__/sample-records.js";

const planned = { id: "c" } as PlannedCase;
const { agentHash, setupHash } = sampleIdentity;
const at = { at: 1, caseId: "c", trial: 1, occurrence: 1, tool: "pay", args: { amount: 3 } };
const intent: IntentRecord = { kind: "intent", identity: { agentHash, setupHash }, ...at };
const outcome: OutcomeRecord = { kind: "outcome", ...at, outcome: { ok: true, value: "paid before" } };
const events = [{ name: "receipt", data: { id: 1 }, at: 7 }];

/** Calls pay and ship with what is in the journal already; shows what was called and written. */
function scene(
  records: readonly (IntentRecord | OutcomeRecord)[],
  changes: Partial<RunnableTool> = {},
  { signal } = new AbortController(),
) {
  const happened: string[] = [];
  const written: JournalRecord[] = [];
  const emitted: unknown[] = [];
  const earlier = createEffectCalls();
  records.forEach((record, line) => {
    if (record.kind === "intent") earlier.began(record);
    else earlier.answered(record, { offset: line, length: 1 });
  });
  const guard = createEffectGuard({
    clock: createManualClock({ start: 7 }),
    redactor: createRedactor(["the-secret"]),
    earlier,
    reader: { read: ({ offset }) => success(JSON.stringify(records[offset])) },
    identify: () => sampleIdentity,
    async write(record) {
      await Promise.resolve();
      happened.push(record.kind);
      written.push(record);
    },
  });
  const handler: ToolHandler = {
    async execute(_args, { emit }) {
      happened.push("call");
      emit("receipt", { id: 1 });
      return { ok: true, value: "paid now" };
    },
  };
  const toolOf = (name: string): RunnableTool =>
    ({ kind: "module", name, attributes: { no_effect: false }, createHandler: () => handler, ...changes }) as never;
  const all = [toolOf("pay"), toolOf("ship")];
  const guarded = guard.guard(all, planned, 1);
  const audit: { resumed?: string } = {};
  const emit = (name: string, data?: unknown, when?: number): void => void emitted.push({ name, data, at: when });
  const context = { audit, emit, signal } as unknown as HandlerContext;
  const handlers = guarded.tools.map((tool) => ("createHandler" in tool ? tool.createHandler({}) : handler));
  const callOf = (tool: number, args: unknown): Promise<HandlerOutcome> =>
    Promise.resolve(handlers[tool]?.execute(args, context) as Promise<HandlerOutcome>);
  return {
    call: (args: unknown = { amount: 3 }) => callOf(0, args),
    ship: () => callOf(1, {}),
    happened,
    written,
    audit,
    emitted,
    isGuarded: guarded.tools[0] !== all[0],
    notRepeated: () => guarded.notRepeated()?.message ?? null,
  };
}

const isPaidNow = { ok: true, value: "paid now" };
const isRefused = { ok: false, broken: true, brokenBy: { code: "ENGINE_ABORTED", details: { resumedCalls: 1 } } };

describe("createEffectGuard", () => {
  it("writes down a call before it is made, and its answer before anybody gets it", async () => {
    const { call, happened, written } = scene([]);
    expect(await call({ amount: "the-secret" })).toEqual(isPaidNow);
    expect(happened).toEqual(["intent", "call", "outcome"]);
    expect(written).toMatchObject([
      { at: 7, occurrence: 1, identity: sampleIdentity },
      { outcome: { value: "paid now" }, events },
    ]);
  });

  it("gives the answer that a call had before, with its events; the next one like it is made", async () => {
    const { call, happened, audit, written, emitted, notRepeated } = scene([intent, { ...outcome, events }]);
    expect(await call()).toEqual({ ok: true, value: "paid before" });
    expect({ happened, audit, emitted }).toEqual({
      happened: [],
      audit: { resumed: "answered_before" },
      emitted: events,
    });
    expect(await call()).toEqual(isPaidNow);
    expect(written[0]).toMatchObject({ kind: "intent", occurrence: 2 });
    expect(notRepeated()).toBeNull();
  });

  it("seals a call of which nobody knows the result", async () => {
    const { call, happened, audit } = scene([intent]);
    expect(await call()).toMatchObject({ ok: false, failure: { errorType: "aborted", retryable: false } });
    expect({ happened, audit }).toEqual({ happened: [], audit: { resumed: "sealed" } });
  });

  it("seals a call that timed out, even if its tool has answered since", async () => {
    const late = new AbortController();
    late.abort(createLateness());
    const first = scene([], {}, late);
    expect(await first.call()).toEqual(isPaidNow);
    expect(first.happened).toEqual(["intent", "call"]);
    const stopped = new AbortController();
    stopped.abort();
    const interrupted = scene([], {}, stopped);
    await interrupted.call();
    expect(interrupted.happened).toEqual(["intent", "call", "outcome"]);
    const { call, happened, audit } = scene(first.written.filter((record) => record.kind === "intent"));
    expect(await call()).toMatchObject({ ok: false, failure: { errorType: "aborted", retryable: false } });
    expect({ happened, audit }).toEqual({ happened: [], audit: { resumed: "sealed" } });
  });

  it.each([null, "paid", {}, { ok: "yes" }, { ok: false }, { ok: false, failure: { errorType: "odd", message: "m" } }])(
    "seals a call whose outcome was edited to %j",
    async (edited) => {
      const { call, happened, audit } = scene([intent, { ...outcome, outcome: edited }]);
      expect(await call()).toMatchObject({ ok: false, failure: { errorType: "aborted" } });
      expect({ happened, audit }).toEqual({ happened: [], audit: { resumed: "sealed" } });
    },
  );

  it.each([
    ["answered", [intent, outcome]],
    ["begun", [intent]],
  ] as const)("makes no other call before it repeats what was %s, and none afterwards", async (_name, records) => {
    const { call, ship, happened, notRepeated } = scene(records);
    expect(await call({ amount: 4 })).toMatchObject(isRefused);
    expect(await call()).toMatchObject(isRefused);
    expect(await ship()).toMatchObject(isRefused);
    expect(happened).toEqual([]);
    expect(notRepeated()).toMatch(/^The agent called pay\(\{amount: 4\}\) before it repeated pay\(\{amount: 3\}\)/);
  });

  it("repeats in any order, and names what is missing in the end", async () => {
    const shipped = [
      { ...intent, tool: "ship", args: {} },
      { ...outcome, tool: "ship", args: {} },
    ];
    const { call, ship, happened, notRepeated } = scene([intent, outcome, ...shipped]);
    expect(notRepeated()).toMatch(/^The agent did not repeat pay\(\{amount: 3\}\) and 1 more/);
    expect(await ship()).toMatchObject({ ok: true, value: "paid before" });
    expect(notRepeated()).toMatch(/^The agent did not repeat pay\(\{amount: 3\}\), /);
    expect(await call()).toMatchObject({ ok: true, value: "paid before" });
    expect([notRepeated(), happened]).toEqual([null, []]);
  });

  it.each([
    ["agent", [{ ...intent, identity: { agentHash: "x", setupHash } }]],
    ["setup", [{ ...intent, identity: { agentHash, setupHash: "x" } }]],
    ["trial", [{ ...intent, trial: 2 }]],
  ])("has nothing to repeat of another %s", async (_name, records) => {
    const { call, happened } = scene(records);
    expect(await call()).toEqual(isPaidNow);
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
