import { attemptSync } from "../errors/boundary.js";
import { messageOf } from "../errors/message-of.js";
import { failure, success, type Result } from "../result.js";
import type { HandlerFailure, HandlerOutcome } from "../tools/tool-handler.js";
import type { HookDecision } from "../transcript/hook-decision.js";
import { toolErrorTypes } from "../transcript/tool-failure.js";
import { isRecord } from "../values/json.js";
import { toJsonValue } from "../values/to-json.js";
import { preview } from "../values/preview.js";

/** A decision that changes a call. */
export interface HookVerdict {
  decision: HookDecision["decision"];
  reason: string | null;
  outcome: HandlerOutcome;
}

/** What `preToolUse` can say in addition: the call needs an approval, or needs none. */
export interface HookOpinion {
  decision: "ask" | "allow";
  reason: string | null;
}

/** Reads what a hook answered: null when the call goes on as it is. The error is the reason why it is not an answer. */
type ReadDecision<Decision> = (answer: unknown) => Result<Decision | null, string>;

/** An answer is the plugin's own object, which may throw when it is looked at. */
function guarded<Decision>(read: ReadDecision<Decision>): ReadDecision<Decision> {
  return (answer) => {
    if (answer === undefined || answer === null) return success(null);
    const done = attemptSync(() => read(answer), messageOf);
    return done.success ? done.data : failure(`answered something that cannot be read: ${done.error}`);
  };
}

/** A result without a decision, and a reason under `meta`, are as hooks of the KODE SDK give them. */
export const readPreToolUse = guarded<HookVerdict | HookOpinion>((answer) => {
  if (!isRecord(answer)) return nonsense(answer, 'undefined or { decision: "allow" | "deny" | "ask" | "replace" }');
  const { decision = "result" in answer ? "replace" : undefined } = answer;
  // These keep the tool from being run, whatever else is wrong with the answer.
  if (decision === "deny") return denial(reasonIfAny(answer));
  if (decision === "ask") return success({ decision, reason: reasonIfAny(answer) });
  const reason = reasonOf(answer);
  if (!reason.success) return reason;
  switch (decision) {
    case "allow":
      return success({ decision, reason: reason.data });
    case "replace":
      if (!("result" in answer)) return failure("answered replace without a result");
      return valueOf(answer["result"], reason.data);
    default:
      return nonsense(decision, '"allow", "deny", "ask" or "replace" as its decision');
  }
});

function denial(reason: string | null): Result<HookVerdict, string> {
  const message = reason ?? "The call was denied";
  return verdict("deny", message, { ok: false, failure: { errorType: "logical", message, retryable: false } });
}

/** `outcome`: the one that the hook was asked about. */
export function readPostToolUse(answer: unknown, outcome: unknown): Result<HookVerdict | null, string> {
  return guarded<HookVerdict>((given) => readAfter(given, outcome))(answer);
}

function readAfter(answer: unknown, outcome: unknown): Result<HookVerdict | null, string> {
  const { replace, update } = isRecord(answer) ? answer : {};
  if (!isRecord(answer) || !(isRecord(replace) || isRecord(update))) {
    return nonsense(answer, "undefined, { replace: outcome } or { update: parts of the outcome }");
  }
  const reason = reasonOf(answer);
  if (!reason.success) return reason;
  if (isRecord(replace)) return outcomeFrom(replace, replace["ok"], reason.data);
  const parts = isRecord(update) ? update : {};
  const before = isRecord(outcome) ? outcome["ok"] : undefined;
  const { ok = "error" in parts ? false : "value" in parts ? true : before } = parts;
  if (!["value", "content", "error"].some((key) => key in parts)) {
    return ok === before ? success(null) : nonsense(answer, "an update with a value or an error");
  }
  return outcomeFrom(parts, ok, reason.data);
}

/** `content` is the word of the KODE SDK for a value, and for an error with its message. */
function outcomeFrom(
  given: Readonly<Record<string, unknown>>,
  ok: unknown,
  reason: string | null,
): Result<HookVerdict, string> {
  const value = "value" in given ? given["value"] : given["content"];
  if (ok === true && !("error" in given)) return valueOf(value, reason);
  const error = errorFrom(given["error"] ?? value);
  if (ok !== false || error === null) {
    return nonsense(given, "{ ok: true, value } or { ok: false, error: { message } } as its outcome");
  }
  const told: HandlerFailure = { errorType: "logical", message: error.message };
  const { errorType, retryable, recommendations } = error.more;
  if (errorType !== undefined) {
    const known = toolErrorTypes.find((type) => type === errorType);
    if (known === undefined) return nonsense(errorType, `one of ${toolErrorTypes.join(", ")} as its errorType`);
    told.errorType = known;
  }
  if (typeof retryable === "boolean") told.retryable = retryable;
  if (Array.isArray(recommendations)) told.recommendations = recommendations.filter(isText);
  return verdict("replace", reason, { ok: false, failure: told });
}

/** `{ message, … }`, or `{ error: message, … }` as tools of the KODE SDK return it; null if it is neither. */
function errorFrom(given: unknown): { message: string; more: Readonly<Record<string, unknown>> } | null {
  if (!isRecord(given)) return null;
  const message = given["message"] ?? given["error"];
  return isText(message) ? { message, more: given } : null;
}

function verdict(
  decision: HookVerdict["decision"],
  reason: string | null,
  outcome: HandlerOutcome,
): Result<HookVerdict, string> {
  return success({ decision, reason, outcome });
}

function valueOf(value: unknown, reason: string | null): Result<HookVerdict, string> {
  if (typeof value === "function" || typeof value === "symbol") return nonsense(value, "a result that JSON can carry");
  return verdict("replace", reason, { ok: true, value: toJsonValue(value) });
}

function reasonOf(answer: Readonly<Record<string, unknown>>): Result<string | null, string> {
  const { meta } = answer;
  const reason = answer["reason"] ?? (isRecord(meta) ? meta["reason"] : undefined);
  if (reason === undefined || reason === null || reason === "") return success(null);
  return typeof reason === "string" ? success(reason) : nonsense(reason, "a string as its reason");
}

function reasonIfAny(answer: Readonly<Record<string, unknown>>): string | null {
  const given = attemptSync(() => reasonOf(answer), messageOf);
  return given.success && given.data.success ? given.data.data : null;
}

function nonsense(answer: unknown, wanted: string): Result<never, string> {
  return failure(`answered ${preview(answer, 60)}, which is not ${wanted}`);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
