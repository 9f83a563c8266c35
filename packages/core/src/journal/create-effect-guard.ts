import type { EffectGuard, GuardedTrial } from "../engine/ports.js";
import type { PlannedCase } from "../plan/run-plan.js";
import type { Redactor } from "../redaction/redactor.js";
import type { RunnableTool } from "../tools/tool-config.js";
import type { HandlerContext, HandlerOutcome, ToolHandler } from "../tools/tool-handler.js";
import type { ToolEvent } from "../transcript/tool-event.js";
import { toolErrorTypes } from "../transcript/tool-failure.js";
import type { Clock } from "../values/clock.js";
import { exactIntegersOf, withExactIntegers } from "../values/exact-integers.js";
import { isRecord } from "../values/json.js";
import { isLate } from "../tools/call-lateness.js";
import { toJsonValue } from "../values/to-json.js";
import { decodeRecord } from "./decode-record.js";
import { callKey, type EffectCall, type EffectCalls } from "./effect-calls.js";
import type { JournalRecord, OutcomeRecord, TrialIdentity } from "./journal-record.js";
import type { LineReader } from "./line-reader.js";
import { kindlmError, type KindlmErrorOf } from "../errors/kindlm-error.js";
import { previewCall } from "../values/preview.js";

export interface EffectGuardSettings {
  clock: Clock;
  redactor: Redactor;
  /** What earlier sessions called; null when the run begins. */
  earlier: EffectCalls | null;
  reader: LineReader;
  identify(planned: PlannedCase): TrialIdentity;
  /** Resolves when the record is on the disk, or cannot be. */
  write(record: JournalRecord): Promise<unknown>;
}

const sealed: HandlerOutcome = {
  ok: false,
  failure: {
    errorType: "aborted",
    message:
      "The run was cut off during this call. Whether it took effect is not known, and it was not made a second time.",
    retryable: false,
  },
};

type Execute = ToolHandler["execute"];

/**
 * Writes each call of a tool with effects to the journal before it is made, and its answer before the agent gets it. In
 * a trial of an earlier session, a call that was answered gets the same answer, and one that was not is sealed: it ends
 * in an error. Neither is made again. Before all of them are repeated, no other call is made: it would be a second
 * conversation with the same world.
 */
export function createEffectGuard(settings: EffectGuardSettings): EffectGuard {
  const { redactor, earlier, identify } = settings;
  return {
    guard(tools, planned, trial) {
      if (!tools.some(hasEffects)) return { tools, notRepeated: () => null };
      const identity = identify(planned);
      const before = earlier?.of(redactor.redact(planned.id), trial, identity);
      const guarded = guardTrial(settings, { identity, caseId: planned.id, trial, before: before ?? new Map() });
      return {
        tools: tools.map((tool) =>
          hasEffects(tool)
            ? { ...tool, createHandler: (scope) => guarded.wrap(tool.name, tool.createHandler(scope)) }
            : tool,
        ),
        notRepeated: guarded.notRepeated,
      };
    },
  };
}

interface GuardedCalls {
  identity: TrialIdentity;
  caseId: string;
  trial: number;
  before: ReadonlyMap<string, EffectCall>;
}

function guardTrial(
  { clock, redactor, reader, write }: EffectGuardSettings,
  { identity, caseId, trial, before }: GuardedCalls,
): Pick<GuardedTrial, "notRepeated"> & { wrap(tool: string, handler: ToolHandler): ToolHandler } {
  const made = new Map<string, number>();
  /** What the agent has not called again yet. */
  const left = new Map(before);
  let other: ReturnType<typeof otherCall> | null = null;

  const makeCall = async (
    place: Omit<OutcomeRecord, "kind" | "at" | "outcome" | "events">,
    execute: Execute,
    context: HandlerContext,
  ): Promise<HandlerOutcome> => {
    await write({ kind: "intent", at: clock.now(), identity, ...place });
    const events: ToolEvent[] = [];
    const emit = (name: string, data?: unknown, at = clock.now()): void => {
      context.emit(name, data, at);
      events.push({ name, data: toJsonValue(data), at });
    };
    const outcome = await execute(place.args, { ...context, emit });
    // A call that timed out stays sealed when the run is resumed, whatever its tool answers afterwards.
    if (isLate(context.signal)) return outcome;
    const record: OutcomeRecord = { kind: "outcome", at: clock.now(), ...place, outcome };
    if (events.length > 0) record.events = events;
    // The agent must not act on an answer that a crash could still take.
    await write(record);
    return outcome;
  };

  return {
    notRepeated: () => other ?? (left.size === 0 ? null : unrepeatedCalls([...left.values()], before.size)),
    wrap: (tool, handler) => ({
      ...handler,
      async execute(args, context) {
        const written = asWritten(args, redactor);
        const call = callKey(tool, written, 0);
        const occurrence = (made.get(call) ?? 0) + 1;
        made.set(call, occurrence);
        const key = callKey(tool, written, occurrence);
        const known = before.get(key);
        const [next] = left.values();
        if (known === undefined && next !== undefined) other ??= otherCall({ tool, args: written }, next, before.size);
        if (other !== null) {
          const { message } = other;
          return { ok: false, failure: { errorType: "exception", message }, broken: true, brokenBy: other };
        }
        left.delete(key);
        if (known !== undefined) return answerAgain(reader, known, context);
        const execute: Execute = (given, inner) => handler.execute(given, inner);
        const exact = exactIntegersOf(args);
        const digits = exact === undefined ? {} : { exactIntegers: exact };
        return makeCall({ caseId, trial, occurrence, tool, args, ...digits }, execute, context);
      },
    }),
  };
}

/** The answer that the call had before, or an error if nobody knows it. */
function answerAgain(reader: LineReader, { answer }: EffectCall, context: HandlerContext): HandlerOutcome {
  const record = answer === null ? null : answerAt(reader, answer);
  if (record === null || !isOutcome(record.outcome)) {
    context.audit.resumed = "sealed";
    return sealed;
  }
  context.audit.resumed = "answered_before";
  for (const { name, data, at } of record.events ?? []) context.emit(name, data, at);
  return record.outcome;
}

function answerAt(reader: LineReader, place: NonNullable<EffectCall["answer"]>): OutcomeRecord | null {
  const line = reader.read(place);
  if (!line.success) return null;
  const record = decodeRecord(line.data);
  return record.success && record.data.kind === "outcome" ? record.data : null;
}

/** A journal can be edited. */
function isOutcome(stored: unknown): stored is HandlerOutcome {
  if (!isRecord(stored)) return false;
  const { ok, failure } = stored;
  if (ok !== false || !isRecord(failure)) return ok === true;
  return typeof failure["message"] === "string" && toolErrorTypes.some((type) => type === failure["errorType"]);
}

/** What a simulated or built-in tool changes is the trial's own, and gone with it. */
function hasEffects(tool: RunnableTool): tool is Exclude<RunnableTool, { kind: "simulated" }> {
  return tool.kind !== "simulated" && tool.isOfTrial !== true && !tool.attributes.no_effect;
}

/** The arguments as the journal has them. */
function asWritten(args: unknown, { redactJson }: Redactor): unknown {
  if (args === undefined) return null;
  return withExactIntegers(JSON.parse(redactJson(JSON.stringify(args))), exactIntegersOf(args));
}

type Call = Pick<EffectCall, "tool" | "args">;

/** The agent made a call before it repeated what it had called before the interruption; the call was not made. */
function otherCall(call: Call, expected: Call, resumedCalls: number): KindlmErrorOf<"ENGINE_ABORTED"> {
  const message = `The agent called ${shown(call)} before it repeated ${shown(expected)}, which it had called before the trial was interrupted. KindLM did not make the call`;
  return kindlmError("ENGINE_ABORTED", message, { details: { resumedCalls } });
}

/** The agent came to its end without what it had called before the interruption: its trial shows half of what happened. */
function unrepeatedCalls(left: readonly Call[], resumedCalls: number): KindlmErrorOf<"ENGINE_ABORTED"> {
  const [first] = left;
  const more = left.length > 1 ? ` and ${left.length - 1} more` : "";
  const message = `The agent did not repeat ${first === undefined ? "a call" : shown(first)}${more}, called before the trial was interrupted`;
  return kindlmError("ENGINE_ABORTED", message, { details: { resumedCalls } });
}

function shown({ tool, args }: Call): string {
  return previewCall(tool, args);
}
