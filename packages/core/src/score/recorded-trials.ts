import { emptyTrial } from "../engine/empty-trial.js";
import { isDecidedBefore } from "../assertions/is-decided-before.js";
import type { EarlierTrials, ReadTrial, RecordedTrial } from "../engine/ports.js";
import type { TrialResult } from "../engine/run-result.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { decodeRecord, reviveTrial } from "../journal/decode-record.js";
import type { PlannedCase, RenderedCase } from "../plan/run-plan.js";
import { failure, success, type Result } from "../result.js";
import { withDelegatedCalls } from "../transcript/delegated-calls.js";
import type { Trial } from "../transcript/trial.js";
import { deriveTrial, historyLengthIn } from "../transcript-import/derive-trial.js";
import type { TranscriptLine } from "../transcript-import/parse-transcript-line.js";
import type { FoundTrial } from "./found-trials.js";
import { recordedInjections } from "./recorded-injections.js";

/**
 * Recorded trials, as the engine takes those of an earlier session.
 *
 * @param trialsOf - those of a case that are scored, in their order
 * @param stands - whether what a trial of KindLM's was judged by is still the same
 */
export function createRecordedTrials(
  trialsOf: (planned: PlannedCase) => readonly FoundTrial[],
  stands: (planned: PlannedCase, found: FoundTrial) => boolean,
): EarlierTrials {
  return {
    // Their conversations were paid for by somebody else, or at another time.
    spentUsd: 0,
    take(planned, trial): RecordedTrial | null {
      const found = trialsOf(planned)[trial - 1];
      if (found === undefined) return null;
      const place = { caseId: planned.id, trial };
      return { isScored: false, read: (rendered) => readTrial(found, planned, rendered, place, stands) };
    },
    *left() {},
  };
}

type Place = Pick<TrialResult, "caseId" | "trial">;

function readTrial(
  found: FoundTrial,
  planned: PlannedCase,
  rendered: RenderedCase,
  place: Place,
  stands: (planned: PlannedCase, found: FoundTrial) => boolean,
): Result<ReadTrial> {
  const line = found.source.read(found.place);
  if (!line.success) return line;
  if (found.record !== null) {
    const record = decodeRecord(line.data);
    if (!record.success || record.data.kind !== "trial") return changed(found);
    const trial = { ...reviveTrial(record.data.trial), ...place };
    // What kept its assertions from being evaluated may be well now; the conversation itself is what it is.
    const isJudgedAgain = trial.status === "errored" && wasJudged(trial) && !found.record.isMasked;
    const isOver = trial.status === "errored" && !wasJudged(trial);
    return success({ trial, seen: null, stands: isOver || (!isJudgedAgain && stands(planned, found)) });
  }
  const parsed = found.source.parse(line.data.replace(/^\uFEFF/, ""));
  if (!parsed.success) return changed(found);
  const seen = seenIn(parsed.data, rendered, planned);
  const untold = untoldCall(parsed.data, rendered);
  if (untold !== null) return contradicted(found, untold);
  const trial = toTrialResult(seen, parsed.data, place);
  if (seen.toolCalls !== undefined) seen.toolCalls = withDelegatedCalls(seen.toolCalls);
  const attacked = recordedInjections(planned, seen, parsed.data.injected);
  if (attacked === null) return success({ trial, seen, stands: false });
  const { injections, unreached } = attacked;
  if (unreached === null) return success({ trial: { ...trial, injections }, seen, stands: false });
  return success({ trial: { ...trial, injections, status: "errored", error: unreached }, seen, stands: true });
}

/** An interrupted conversation, or one that an error ended, has no verdict of its assertions. */
function wasJudged({ error, assertions }: TrialResult): boolean {
  if (error?.code === "ENGINE_ABORTED") return false;
  return assertions.some((result) => !isDecidedBefore(result));
}

/** The line's statements about the trial override those derived from its messages. */
function seenIn({ told, messages }: TranscriptLine, rendered: RenderedCase, planned: PlannedCase): Trial {
  const derived = messages === null ? {} : deriveTrial(messages, historyLengthIn(messages, rendered.history));
  return { ...derived, ...told, fault: planned.fault.id };
}

/** A tool that the messages show as called, while the line itself says which calls there were and leaves it out. */
function untoldCall({ told, messages }: TranscriptLine, rendered: RenderedCase): string | null {
  if (told.toolCalls === undefined || messages === null) return null;
  const names = new Set(told.toolCalls.map(({ tool }) => tool));
  const { toolCalls } = deriveTrial(messages, historyLengthIn(messages, rendered.history));
  return toolCalls.find(({ tool }) => !names.has(tool))?.tool ?? null;
}

function toTrialResult(seen: Trial, { address }: TranscriptLine, { caseId, trial }: Place): TrialResult {
  const { output = "", toolCalls = [], messages = [], latencyMs = 0, costUsd = null, finishReason = null } = seen;
  return {
    ...emptyTrial(caseId, trial),
    output,
    toolCalls,
    messages,
    latencyMs,
    costUsd,
    unpricedRequests: costUsd === null ? 1 : 0,
    usage: seen.usage ?? { inputTokens: 0, outputTokens: 0 },
    servedBy: address.model,
    finishReason,
    recorded: true,
    status: "passed",
    error: null,
  };
}

function contradicted({ source }: FoundTrial, tool: string): Result<never> {
  const message = `"messages" has a call of ${tool} that "toolCalls" next to it does not have`;
  return failure(kindlmError("TRANSCRIPT_INVALID", message, { details: { path: source.shown, diagnostics: [] } }));
}

function changed({ source }: FoundTrial): Result<never> {
  const message = `${source.shown} was changed while it was read`;
  return failure(kindlmError("TRANSCRIPT_INVALID", message, { details: { path: source.shown, diagnostics: [] } }));
}
