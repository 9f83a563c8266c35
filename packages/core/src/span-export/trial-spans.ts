import type { TrialResult } from "../engine/run-result.js";
import type { PlannedCase } from "../plan/run-plan.js";
import { createSpanId, createTraceId } from "../targets/traces/traceparent.js";
import { conversationSpans } from "./conversation-spans.js";
import type { SentAttributes, SentEvent, SentSpan } from "./sent-span.js";

export interface TrialSpansSettings {
  runId: string;
  hasContent: boolean;
  /** The span of its case. */
  link: { traceId: string; spanId: string };
}

/** A trial as one trace. It names its test as `kindlm score` reads it. */
export function trialSpans(
  trial: TrialResult,
  planned: PlannedCase,
  { runId, hasContent, link }: TrialSpansSettings,
): readonly SentSpan[] {
  const { startedAt: startMs = 0, durationMs, error, messages, turns, toolCalls } = trial;
  const traceId = createTraceId();
  const spanId = createSpanId();
  const endMs = startMs + durationMs;
  const root: SentSpan = {
    traceId,
    spanId,
    parentId: null,
    name: `trial ${planned.id}`,
    kind: "internal",
    startMs,
    endMs,
    attributes: {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.conversation.id": `${runId}/${planned.id}/${trial.trial}`,
      ...addressOf(planned),
      "kindlm.run.id": runId,
      "kindlm.case.id": planned.id,
      "kindlm.trial": trial.trial,
      "kindlm.status": trial.status,
      "error.type": error?.code,
    },
    events: trial.assertions.map((one) => verdictEvent(one, endMs, hasContent)),
    links: [link],
    ...(error === null ? {} : { error: hasContent ? error.message : error.code }),
  };
  return [
    root,
    ...conversationSpans({ messages, turns, toolCalls }, { traceId, parentId: spanId, startMs, hasContent }),
  ];
}

function addressOf({ suite, test, row, agentId, prompt, fault }: PlannedCase): SentAttributes {
  return {
    "kindlm.test": `${suite}/${test.name}`,
    "kindlm.row": row?.key,
    "kindlm.model": agentId,
    "kindlm.prompt": prompt.id ?? undefined,
    "kindlm.fault": fault.id ?? undefined,
    "kindlm.arm": test.arm,
  };
}

/** What an assertion says may quote the answer, so it is content. */
function verdictEvent(
  { type, id, pass, skipped, score, message }: TrialResult["assertions"][number],
  atMs: number,
  hasContent: boolean,
): SentEvent {
  const label = skipped === true ? "skipped" : pass ? "pass" : "fail";
  return {
    name: "gen_ai.evaluation.result",
    atMs,
    attributes: {
      "gen_ai.evaluation.name": id ?? type,
      "gen_ai.evaluation.score.value": skipped === true ? undefined : { double: score },
      "gen_ai.evaluation.score.label": label,
      "gen_ai.evaluation.explanation": hasContent ? message : undefined,
      "kindlm.assertion.type": type,
    },
  };
}
