import { faultKinds } from "../../transcript/fired-fault.js";
import { conversationEnds } from "../../transcript/simulated-user.js";
import { toolErrorTypes } from "../../transcript/tool-failure.js";
import type { JsonObject } from "../../values/json.js";
import { amount, anything, code, count, flag, list, nullable, rate, record, text, usage } from "./schema-shapes.js";

const faultKind: JsonObject = { enum: [...faultKinds] };

export function trialSchema(): JsonObject {
  return record(
    {
      trial: { type: "integer", minimum: 1 },
      status: { enum: ["passed", "failed", "errored"] },
      error: nullable({ $ref: "#/definitions/error" }),
      output: text,
      latencyMs: amount,
      durationMs: amount,
      costUsd: nullable(amount),
      usage: usage(),
      attempts: count,
      servedBy: { description: "The model that answered last, as its provider names it", ...nullable(text) },
      fallback: fallbackSchema(),
      finishReason: nullable(text),
      turns: list(turnSchema()),
      toolCalls: list(toolCallSchema()),
      assertions: list({ $ref: "#/definitions/assertion" }),
    },
    {
      fresh: { description: "A confirmation trial of --confirm, so not part of the result of the case", const: true },
      tries: triesSchema(),
      faults: { description: "What became of each fault", ...list(faultReport()) },
      simulatedUser: simulatedUserSchema(),
      judging: { description: "What judges took; counted apart from the agent", ...record(judgingTotals()) },
      nudges: {
        description: "Messages of KindLM's that told the agent to go on after a tool error",
        ...list(record({ userTurn: count, text, tool: text, failure: toolFailure() })),
      },
    },
  );
}

function toolCallSchema(): JsonObject {
  return record(
    {
      tool: text,
      args: anything,
      result: anything,
      error: nullable(toolFailure()),
      durationMs: nullable(amount),
    },
    {
      events: { description: "What the tool emitted", ...list(record({ name: text, data: anything })) },
      exactIntegers: {
        description: "Every digit of the integers in args that a number cannot hold, by JSON Pointer",
        type: "object",
        additionalProperties: { type: "string" },
      },
      ranBy: { description: "Set if the agent ran its own tool", const: "agent" },
      stateChanges: {
        description: "What the call changed in the state of the trial",
        ...list(record({ path: text }, { from: anything, to: anything })),
      },
      rejectedTry: rejectedTrySchema(),
      fault: {
        description: "The fault that the call met",
        ...record({ id: text, kind: faultKind }, { returned: anything }),
      },
      fallback: {
        description: "What answered in place of the tool, and why",
        ...record({ by: { enum: ["answer", "last_value"] }, reason: toolFailure() }),
      },
      resumed: {
        description: "It was made before the run was cut off, and not again",
        enum: ["answered_before", "sealed"],
      },
      hook: {
        description: "What a plugin made of the call; its outcome is then not the tool's own",
        ...record(
          {
            plugin: text,
            hook: { enum: ["preToolUse", "postToolUse"] },
            decision: { enum: ["deny", "replace"] },
            reason: nullable(text),
          },
          {
            returned: { description: "What the tool returned before that", ...anything },
            error: { description: "How the tool failed before that", ...toolFailure() },
          },
        ),
      },
    },
  );
}

function toolFailure(): JsonObject {
  return record(
    { errorType: { enum: [...toolErrorTypes] }, message: text, retryable: flag },
    { recommendations: list(text) },
  );
}

function simulatedUserSchema(): JsonObject {
  return {
    description: "What the simulated user did; counted apart from the agent",
    ...record({
      model: text,
      stoppedBy: {
        description: "Why the conversation ended; null when an error ended it",
        ...nullable({ enum: [...conversationEnds] }),
      },
      ...simulatedUserTotals(),
      conversation: {
        description: "Everything that was said; simulated_user marks what the model wrote that plays the user",
        ...list(record({ by: { enum: ["user", "simulated_user", "agent"] }, text })),
      },
    }),
  };
}

function triesSchema(): JsonObject {
  return {
    description: "How the user turns with retry_until went",
    ...record({
      count: { description: "Answers that were asked for", ...count },
      firstTry: { description: "Every one was approved with its first answer", ...flag },
      approved: { description: "Every one was approved in the end", ...flag },
      rejected: list(record({ userTurn: count, try: count, reason: text, output: text })),
    }),
  };
}

export function simulatedUserTotals(): JsonObject {
  return {
    turns: { description: "Messages that it wrote and the agent was given", ...count },
    requests: count,
    costUsd: { description: "US dollars, part of the costUsd around it", ...nullable(amount) },
    unpricedRequests: count,
    usage: usage(),
  };
}

/** What judges took. */
export function judgingTotals(): JsonObject {
  const { turns: _turns, ...totals } = simulatedUserTotals();
  return totals;
}

function rejectedTrySchema(): JsonObject {
  return { description: "The rejected try that it belongs to; absent for what remains in the conversation", ...count };
}

function faultReport(): JsonObject {
  return record({
    id: text,
    kind: faultKind,
    tool: text,
    call: nullable(count),
    rate: nullable(rate),
    calls: { description: "Calls that reached a tool it names", ...count },
    fired: { description: "Calls that it changed", ...count },
    missed: { description: "Why it changed nothing where it was tried", ...nullable(text) },
  });
}

function turnSchema(): JsonObject {
  const known: JsonObject = {
    turn: { type: "integer", minimum: 1 },
    latencyMs: amount,
    timeToFirstTokenMs: { description: "Null when the answer was not streamed", ...nullable(amount) },
    costUsd: nullable(amount),
    servedBy: nullable(text),
    fallback: fallbackSchema(),
    attempts: count,
    failedAttempts: list(
      record({
        attempt: { type: "integer", minimum: 1 },
        provider: text,
        code: code(),
        message: text,
        requestId: nullable(text),
        waitedMs: nullable(amount),
      }),
    ),
  };
  const replayed: JsonObject = { description: "A recording answered", const: true };
  return record(known, { rejectedTry: rejectedTrySchema(), replayed });
}

export function fallbackSchema(): JsonObject {
  return { description: "Model that answered in place of the one under test; null when none did", ...nullable(text) };
}

export function originSchema(): JsonObject {
  const names = { runId: text, suite: text, test: text, caseId: text, requestId: text };
  return record({}, { ...names, trial: count, turn: count, attempt: count });
}

export function assertionSchema(): JsonObject {
  return record(
    { type: text, pass: flag, score: rate, message: text, durationMs: amount },
    {
      id: text,
      weight: amount,
      userTurn: count,
      skipped: flag,
      awaitsBaseline: { description: "Skipped, since the baseline has no answer to compare with yet", const: true },
      error: { $ref: "#/definitions/error" },
      costUsd: nullable(amount),
      judgingCostUsd: { description: "US dollars that judges took, part of those of the trial", ...nullable(amount) },
      judge: { description: "What a judge said", ...findingSchema() },
      expected: anything,
      actual: anything,
      parts: list({ $ref: "#/definitions/assertion" }),
    },
  );
}

function findingSchema(): JsonObject {
  return record({
    threshold: rate,
    spread: { description: "Highest score less the lowest", ...rate },
    votes: list(
      record(
        { score: rate, pass: flag, reasoning: text, model: text },
        { items: { description: "Scores of the items of a rubric", ...list(record({ item: text, score: rate })) } },
      ),
    ),
  });
}
