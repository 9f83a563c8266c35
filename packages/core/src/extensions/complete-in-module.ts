import { race } from "../assertions/module/race.js";
import type { ModuleFailure } from "../modules/module-failure.js";
import type { UserModules } from "../modules/user-modules.js";
import type { ProviderPorts } from "../providers/define-provider.js";
import { checkAnswer, replySearch } from "../providers/http/post-completion.js";
import { requestIdOf } from "../providers/http/classify.js";
import { postJson } from "../providers/http/post-json.js";
import type { ProviderIdentity } from "../providers/http/provider-identity.js";
import type { HttpOutcome, HttpReply, HttpRequest, HttpTransport } from "../providers/http/transport.js";
import type { CallOptions, ProviderRequest, ProviderResponse } from "../providers/provider.js";
import { failure, success, type Result } from "../result.js";
import { withoutMark, type Message } from "../transcript/message.js";
import type { Clock } from "../values/clock.js";
import { isRecord } from "../values/json.js";
import type { ProviderCall, ProviderFault } from "./define-provider.js";
import { completeAction, type CompleteInput, type CompleteOutcome } from "./extension-action.js";
import { readProviderAnswer } from "./read-provider-answer.js";

/** A model of a provider that a module registers. */
interface RegisteredModel {
  file: string;
  exportName: string;
  identity: ProviderIdentity;
  options: unknown;
}

/**
 * Makes a request of a registered provider. It is an exchange like any other, with a module in place of the server, so it
 * is recorded, replayed, classified and checked in the same places.
 */
export async function completeInModule(
  registered: RegisteredModel,
  request: ProviderRequest,
  { http, clock }: Pick<ProviderPorts, "http" | "clock">,
  sending: CallOptions,
): Promise<Result<ProviderResponse>> {
  const { identity, options } = registered;
  const { caseId, trial, turn, seed, attempt = 1 } = request.origin;
  const call = toCall(identity.model, request);
  const input: CompleteInput = { request: call, context: { options, origin: { caseId, trial, turn, seed, attempt } } };
  const answer: HttpRequest["answer"] = (modules, { signal, timeoutMs }) =>
    askModule(registered, input, { clock, modules, signal, timeoutMs });
  const transport: HttpTransport = { ...http, send: (sent, given) => http.send({ ...sent, answer }, given) };
  const post = { url: "module:", headers: {}, body: { ...call }, timeouts: request.timeouts };
  const posted = await postJson(identity, { http: transport, clock }, post, sending);
  if (!posted.success) return posted;
  const { json, reply, unusable } = posted.data;
  const read = readProviderAnswer(json, turn);
  const checked = read.success ? checkAnswer(read.data, json, replySearch(request.tools)) : read;
  if (!checked.success) return unusable(checked.error);
  return success({ ...checked.data, requestId: requestIdOf(reply.headers), latencyMs: reply.latencyMs });
}

function toCall(model: string, { system, messages, tools, params }: ProviderRequest): ProviderCall {
  const call = { model, messages: messages.map(asSeen), tools, params };
  return system === undefined ? call : { ...call, system };
}

function asSeen(message: Message): Message {
  return message.role === "user" ? withoutMark(message) : message;
}

interface AskingWorld {
  clock: Clock;
  modules: UserModules;
  signal: AbortSignal;
  timeoutMs: number;
}

async function askModule(
  { file, exportName }: RegisteredModel,
  input: CompleteInput,
  world: AskingWorld,
): Promise<HttpOutcome> {
  const { clock, modules, timeoutMs: ms } = world;
  const what = `provider ${file}#${exportName}`;
  const place = { action: completeAction, file, exportName, what, input, isRepeatable: false };
  const startedAt = clock.monotonic();
  // What waits for another module to be ended has not had its own time yet.
  const isBlocked = (): boolean => modules.blockedBy(what) !== null;
  const raced = await race((signal) => modules.call({ ...place, signal }), world, isBlocked);
  if (!raced.done) {
    const cause = new Error(raced.reason === "abort" ? "The request was interrupted" : `${what} did not answer`);
    return failure(
      raced.reason === "abort" ? { kind: "aborted", cause } : { kind: "timeout", which: "request", ms, cause },
    );
  }
  const outcome = raced.value;
  const latencyMs = clock.monotonic() - startedAt;
  return outcome.success ? success(replyOf(outcome.data, latencyMs)) : unanswered(outcome.error, latencyMs);
}

function replyOf(outcome: CompleteOutcome, latencyMs: number): HttpReply {
  if ("threw" in outcome) return faultReply(`The provider threw: ${outcome.threw}`, outcome.fault, latencyMs);
  const { answer } = outcome;
  const id = isRecord(answer) ? answer["requestId"] : undefined;
  const headers: Record<string, string> = typeof id === "string" ? { "x-request-id": id } : {};
  return { status: 200, headers, body: JSON.stringify(answer), latencyMs };
}

/** What was thrown, as a server would say it. */
function faultReply(body: string, { status, retryable, retryAfterMs }: ProviderFault, latencyMs: number): HttpReply {
  const headers: Record<string, string> = {};
  const mayRetry = retryable ?? (status === undefined ? false : undefined);
  if (mayRetry !== undefined) headers["x-should-retry"] = String(mayRetry);
  if (retryAfterMs !== undefined) headers["retry-after-ms"] = String(retryAfterMs);
  return { status: status ?? 500, headers, body, latencyMs };
}

function unanswered({ how, message, cause: thrown }: ModuleFailure, latencyMs: number): HttpOutcome {
  const cause = thrown instanceof Error ? thrown : new Error(message);
  switch (how) {
    case "missing":
    case "unfit":
      return failure({ kind: "unsendable", message, cause });
    case "swept":
      return failure({ kind: "network", systemCode: null, message, cause, brokeOff: true });
    case "threw":
    case "ended":
      return success(faultReply(`The provider ${message}`, {}, latencyMs));
  }
}
