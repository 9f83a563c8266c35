import type { TrialStore } from "../engine/ports.js";
import type { RunResult, TrialResult } from "../engine/run-result.js";
import type { Diagnostic } from "../errors/error-table.js";
import type { PlannedCase } from "../plan/run-plan.js";
import type { Redactor } from "../redaction/redactor.js";
import { createSpanId, createTraceId } from "../targets/traces/traceparent.js";
import { plural } from "../values/plural.js";
import { conversationSpans } from "./conversation-spans.js";
import type { AttributeValue, SentAttributes, SentEvent, SentSpan } from "./sent-span.js";
import { SpanSender, type SenderPorts } from "./span-sender.js";
import type { SpanSettings } from "./span-settings.js";

/** Sends the trials of a run as spans while it goes on, and the run itself at its end. */
export interface SpanExport {
  /** A store that also sends each trial. Those of other runs are left out: their spans were sent when they ran. */
  watchTrials(store: TrialStore): TrialStore;
  /** Sends what is left. The warning says what was lost; nothing of it changes a result. */
  finish(result: RunResult): Promise<readonly Diagnostic[]>;
}

interface CaseTimes {
  spanId: string;
  startMs: number;
  endMs: number;
}

export interface SpanExportPorts extends SenderPorts {
  runId: string;
  redactor: Pick<Redactor, "redact" | "redactJson" | "add">;
}

export function createSpanExport(settings: SpanSettings, { runId, redactor, ...ports }: SpanExportPorts): SpanExport {
  redactor.add(secretsIn(settings.headers));
  const sender = new SpanSender(settings, ports);
  const traceId = createTraceId();
  const runSpanId = createSpanId();
  const cases = new Map<string, CaseTimes>();
  const mask = maskFor(redactor);
  const add = (spans: readonly SentSpan[]): void => sender.add(spans.map(mask));
  const caseOf = (trial: TrialResult): CaseTimes => {
    const { startedAt: startMs = ports.clock.now(), durationMs } = trial;
    const known = cases.get(trial.caseId) ?? { spanId: createSpanId(), startMs, endMs: startMs };
    known.startMs = Math.min(known.startMs, startMs);
    known.endMs = Math.max(known.endMs, startMs + durationMs);
    cases.set(trial.caseId, known);
    return known;
  };
  return {
    watchTrials: (store) => ({
      append: (trial, planned, origin) => {
        if (origin === "run") {
          const { spanId } = caseOf(trial);
          const { hasContent } = settings;
          add(trialSpans(trial, planned, { runId, hasContent, link: { traceId, spanId } }));
        }
        return store.append(trial, planned, origin);
      },
      flush: () => store.flush(),
      read: (caseId) => store.read(caseId),
    }),
    async finish(result) {
      if (cases.size > 0) add(runSpans(result, { traceId, runSpanId, runId, cases }));
      const { lost, problem } = await sender.finish();
      if (lost === 0) return [];
      const message = `${plural(lost, "span")} of the run could not be sent to ${new URL(settings.url).host}: ${problem ?? "too many were waiting"}`;
      const hint = "Check the address and the headers of the collector. The results of the run do not depend on it";
      return [{ code: "UNKNOWN_ERROR", severity: "warning", message: redactor.redact(message), hint }];
    },
  };
}

/** Keys in headers are in no variable that is known for its secret. */
function secretsIn(headers: SpanSettings["headers"]): readonly string[] {
  return Object.entries(headers)
    .filter(([name]) => /auth|key|token|secret|cookie/i.test(name))
    .flatMap(([, value]) => [value, ...value.split(" ").slice(1)])
    .filter((value) => value.length >= 8);
}

/** Masks everything but IDs, which look like keys. */
function maskFor({ redact, redactJson }: SpanExportPorts["redactor"]): (span: SentSpan) => SentSpan {
  const maskValue = (value: AttributeValue): AttributeValue =>
    typeof value !== "string" ? value : /^[[{]/.test(value) ? redactJson(value) : redact(value);
  const maskAll = (attributes: SentAttributes): SentAttributes =>
    Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key, maskValue(value)]));
  return ({ name, attributes, events, error, ...ids }) => ({
    ...ids,
    name: redact(name),
    attributes: maskAll(attributes),
    ...(events === undefined
      ? {}
      : { events: events.map((event) => ({ ...event, attributes: maskAll(event.attributes) })) }),
    ...(error === undefined ? {} : { error: redact(error) }),
  });
}

interface RunParts {
  traceId: string;
  runSpanId: string;
  runId: string;
  cases: ReadonlyMap<string, CaseTimes>;
}

function runSpans({ run, suites, verdict }: RunResult, { traceId, runSpanId, runId, cases }: RunParts): SentSpan[] {
  const shared = { traceId, kind: "internal" as const };
  const times = [...cases.values()];
  const root: SentSpan = {
    ...shared,
    spanId: runSpanId,
    parentId: null,
    name: "kindlm test",
    startMs: times.reduce((least, { startMs }) => Math.min(least, startMs), Date.parse(run.startedAt)),
    endMs: times.reduce((most, { endMs }) => Math.max(most, endMs), Date.parse(run.endedAt)),
    attributes: {
      "kindlm.run.id": runId,
      "kindlm.verdict": verdict,
      "kindlm.project": run.project ?? undefined,
      "vcs.ref.head.revision": run.git?.commit,
      "vcs.ref.head.name": run.git?.branch ?? undefined,
    },
  };
  const ofCases = suites.flatMap(({ tests }) =>
    tests.flatMap((test): readonly SentSpan[] => {
      const { id, status } = test;
      const known = cases.get(id);
      if (known === undefined) return [];
      const score = test.status === "skipped" ? undefined : { double: test.passes / Math.max(1, test.runs) };
      const events = [
        {
          name: "gen_ai.evaluation.result",
          atMs: known.endMs,
          attributes: {
            "gen_ai.evaluation.name": "kindlm.case",
            "gen_ai.evaluation.score.value": score,
            "gen_ai.evaluation.score.label": status,
          },
        },
      ];
      const attributes = { "kindlm.run.id": runId, "kindlm.case.id": id, "kindlm.status": status };
      return [{ ...shared, ...known, parentId: runSpanId, name: `case ${id}`, attributes, events }];
    }),
  );
  return [root, ...ofCases];
}

interface TrialSpansSettings {
  runId: string;
  hasContent: boolean;
  /** The span of its case. */
  link: { traceId: string; spanId: string };
}

/** A trial as one trace. It names its test as `kindlm score` reads it. */
function trialSpans(
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
