import type { ToolTape } from "../engine/ports.js";
import { attempt } from "../errors/boundary.js";
import { messageOf } from "../errors/message-of.js";
import { kindlmError, type KindlmError } from "../errors/kindlm-error.js";
import type { PlannedCase } from "../plan/run-plan.js";
import { redactCopy, redactValue } from "../redaction/redact-value.js";
import { failure, success } from "../result.js";
import type { CassetteMode } from "../config/cassette-mode.js";
import {
  interrupted,
  tooLate,
  type AnswerScope,
  type HandlerContext,
  type HandlerOutcome,
  type ToolHandler,
} from "../tools/tool-handler.js";
import type { OpenTool } from "../tools/tool-config.js";
import type { ToolEvent } from "../transcript/tool-event.js";
import type { Clock } from "../values/clock.js";
import { toJsonValue } from "../values/to-json.js";
import { hashOf } from "./canonical-request.js";
import type { CallLine } from "./cassette-lines.js";
import type { Tapes } from "./tapes.js";
import { missedCall, missedList } from "./explain-miss.js";
import { roundedMs } from "./stream-pieces.js";

export interface ToolTapeSettings {
  mode: Exclude<CassetteMode, "off">;
  tapes: Pick<Tapes, "open" | "keepList">;
  clock: Clock;
  takesTime: boolean;
  onMiss(caseId: string, trial: number): void;
  redact(text: string): string;
}

interface TapedTrial {
  caseId: string;
  trial: number;
  /** How long a tool may take, unless it says otherwise. */
  toolMs: number;
  /** Aborts when the trial is stopped. */
  signal: AbortSignal;
}

/** A tool whose calls are answered from the tape, or go on to the tool and are put on the tape. */
class TapedTool implements ToolHandler {
  readonly #tool: OpenTool;
  readonly #scope: AnswerScope;
  readonly #of: TapedTrial;
  readonly #settings: ToolTapeSettings;
  #live: ToolHandler | null = null;

  constructor(tool: OpenTool, scope: AnswerScope, of: TapedTrial, settings: ToolTapeSettings) {
    this.#tool = tool;
    this.#scope = scope;
    this.#of = of;
    this.#settings = settings;
  }

  async execute(args: unknown, context: HandlerContext): Promise<HandlerOutcome> {
    const { mode, tapes, clock, takesTime, redact } = this.#settings;
    const { caseId, trial, toolMs } = this.#of;
    const { name, timeoutMs } = this.#tool;
    const opened = await tapes.open(caseId, trial);
    if (!opened.success) return broken(opened.error);
    const { tape, content, asker } = opened.data;
    const kept = redactValue(args ?? {}, redact);
    const call = hashOf({ tool: name, args: kept });
    const line = { call, case: caseId, trial, n: 1, tool: name, args: kept };
    const slot = tape.begin(null);
    const recorded = mode === "record" ? null : tape.take(call);
    if (recorded !== null && "call" in recorded) {
      slot.fill(recorded);
      if (takesTime) await clock.sleep(recorded.ms, context.signal);
      return replay(recorded, context, timeoutMs ?? toolMs);
    }
    if (mode !== "replay") return this.#record(line, args, context, (done) => slot.fill(done));
    this.#settings.onMiss(caseId, trial);
    return broken(missedCall(line, asker, content));
  }

  async #record(
    line: Omit<CallLine, "ms">,
    args: unknown,
    context: HandlerContext,
    keep: (line: CallLine) => void,
  ): Promise<HandlerOutcome> {
    const { clock, redact } = this.#settings;
    const events: ToolEvent[] = [];
    const emit = (name: string, data?: unknown, at?: number): void => {
      context.emit(name, data, at);
      events.push({ name, data: redactValue(toJsonValue(data), redact) });
    };
    const startedAt = clock.monotonic();
    let isOver = false;
    const end = (came: Partial<CallLine> | null): void => {
      if (isOver) return;
      isOver = true;
      const told = events.length === 0 ? {} : { events };
      if (came !== null) keep({ ...line, ...came, ...told, ms: roundedMs(clock.monotonic() - startedAt) });
    };
    // The deadline leaves the tool behind; an interruption is nobody's answer.
    const onAbort = (): void => end(this.#of.signal.aborted ? null : { timedOut: true });
    if (context.signal.aborted) {
      // What came before the tool took all the time that it had.
      onAbort();
      return interrupted;
    }
    context.signal.addEventListener("abort", onAbort, { once: true });
    const handler = (this.#live ??= this.#tool.createHandler(this.#scope));
    const ran = await attempt(
      () => handler.execute(args, { ...context, emit }),
      (cause) => kindlmError("UNKNOWN_ERROR", messageOf(cause), { cause }),
    );
    const outcome: HandlerOutcome = ran.success
      ? ran.data
      : { ok: false, failure: { errorType: "runtime", message: ran.error.message } };
    end(recordedOf(outcome, redact));
    return outcome;
  }
}

/** The tape of the real tools of one trial: their lists, and their calls. `signal`: aborts when the trial is stopped. */
export function createToolTape(
  { id: caseId, timeouts }: Pick<PlannedCase, "id" | "timeouts">,
  trial: number,
  signal: AbortSignal,
  settings: ToolTapeSettings,
): ToolTape {
  const { mode, tapes, redact } = settings;
  const of = { caseId, trial, toolMs: timeouts.toolMs, signal };
  return {
    lists: {
      async recall(source) {
        if (mode === "record") return success(null);
        const opened = await tapes.open(caseId, trial);
        if (!opened.success) return opened;
        const list = opened.data.content?.lists.get(source) ?? null;
        if (list !== null || mode !== "replay") return success(list);
        settings.onMiss(caseId, trial);
        return failure(missedList(source, opened.data.asker));
      },
      keep(source, tools) {
        tapes.keepList(
          caseId,
          source,
          tools.map((tool) => redactCopy(tool, redact)),
        );
      },
    },
    wrap: (tools) =>
      tools.map((tool) => {
        if (tool.kind === "simulated" || tool.isOfTrial === true) return tool;
        return { ...tool, createHandler: (scope) => new TapedTool(tool, scope, of, settings) };
      }),
  };
}

/** What a tape keeps of the outcome; null for that of a broken fixture. */
function recordedOf(outcome: HandlerOutcome, redact: (text: string) => string): Partial<CallLine> | null {
  if (outcome.ok) return outcome.value === undefined ? {} : { result: redactValue(outcome.value, redact) };
  if ("broken" in outcome) return null;
  return { failure: redactCopy(outcome.failure, redact) };
}

function replay(
  { failure: failed, timedOut, result, events = [] }: CallLine,
  context: HandlerContext,
  timeoutMs: number,
) {
  for (const { name, data } of events) context.emit(name, data);
  const outcome: HandlerOutcome =
    timedOut === true
      ? tooLate(timeoutMs)
      : failed === undefined
        ? { ok: true, value: result }
        : { ok: false, failure: failed };
  return outcome;
}

function broken(error: KindlmError): HandlerOutcome {
  return { ok: false, failure: { errorType: "exception", message: error.message }, broken: true, brokenBy: error };
}
