import { everyCall } from "../transcript/delegated-calls.js";
import type { AssertionContext } from "../assertions/define-assertion.js";
import { attempt } from "../errors/boundary.js";
import type { KindlmError } from "../errors/kindlm-error.js";
import { trialStopped } from "../errors/trial-stopped.js";
import type { PlannedCase, RenderedCase } from "../plan/run-plan.js";
import { failure, success, type Result } from "../result.js";
import { stopReason } from "./stop-reason.js";
import type { TargetSession, Transcript } from "../targets/target.js";
import { decideUnfired, type FaultReport } from "../tools/faults/fault-report.js";
import { createModelFaults, isModelFault, type ModelFaults } from "../tools/faults/model-faults.js";
import type { ToolInvocation } from "../tools/tool-runtime.js";
import { hashText } from "../values/random.js";
import { createToolErrorPolicy } from "./after-tool-error/create-tool-error-policy.js";
import { resultOfEnding } from "./after-tool-error/end-at-tool-error.js";
import type { Nudge } from "./after-tool-error/nudge.js";
import type { ToolErrorPolicy } from "./after-tool-error/tool-error-policy.js";
import type { TrialTools } from "./create-tool-opener.js";
import type { DecidedBefore } from "./evaluate-conversation.js";
import { pauseAtMissingApproval, type ConversationPause } from "./pause/conversation-pause.js";
import { decideUnenforced } from "../tools/permissions/permission-gate.js";
import { withPause } from "./pause/result-of-pause.js";
import { decideUnreached, placedInjections, type PlacedInjection } from "./injection/injections-of.js";
import { openDelegations } from "./delegation/delegations.js";
import { openSession } from "./open-session.js";
import { openRetryUntil, type RetryUntilLoop } from "./retry-until/retry-until-loop.js";
import type { TrialTries } from "./retry-until/trial-tries.js";
import type { RunContext } from "./run-context.js";
import type { TrialRef } from "./run-event.js";
import type { SendMessage } from "./send-message.js";
import { openSimulatedUser } from "./simulated-user/open-simulated-user.js";
import type { SimulatedUser } from "./simulated-user/simulated-user.js";
import type { TrialWorkspace } from "./trial-workspace/trial-workspace.js";
import type { TrialDeadline } from "./trial-deadline.js";
import { unexpectedError, withinTrial } from "./within-trial.js";

/** What is left of a conversation once it is over and everything that it held open is closed. */
export interface HeldConversation {
  transcript: Transcript;
  /** Why the trial cannot be evaluated; null if it can. */
  stoppedBy: KindlmError | null;
  /** Null if nothing was decided in its course. */
  before: DecidedBefore | null;
  /** Null when the case has none. */
  faults: readonly FaultReport[] | null;
  simulator: SimulatedUser | null;
  /** Null when the case has no `retry_until`. */
  tries: TrialTries | null;
  nudges: readonly Nudge[];
  /** Null if no fault of the case injects text. */
  injections: readonly PlacedInjection[] | null;
}

/** What a conversation takes place in. */
export interface Surroundings {
  ref: TrialRef;
  deadline: TrialDeadline;
  context: AssertionContext;
  workspace: TrialWorkspace;
}

const nothingSaid: Transcript = { messages: [], turns: [], toolCalls: [] };

/** What takes part in a conversation. */
interface OpenConversation {
  tools: Result<TrialTools>;
  session: Result<TargetSession>;
  simulator: SimulatedUser | null;
  policy: ToolErrorPolicy;
  pause: ConversationPause;
  retryUntil: RetryUntilLoop | null;
  modelFaults: ModelFaults | null;
}

/**
 * Opens what a trial needs, talks with the agent, and closes everything. The order is semantics: `on_tool_error` wraps
 * the session, so its nudges belong to the answer that `retry_until` approves, and either the written messages or a
 * simulated user drive both.
 */
export async function holdConversation(
  planned: PlannedCase,
  rendered: RenderedCase,
  surroundings: Surroundings,
  run: RunContext,
): Promise<HeldConversation> {
  const open = await openConversation(planned, rendered, surroundings, run);
  const { tools, session } = open;
  const { deadline } = surroundings;
  const conversed = session.success
    ? await withinTrial(() => converse(session.data, rendered, deadline.signal, open))
    : session;
  const closed = session.success ? await attempt(() => session.data.close(), unexpectedError) : success(undefined);
  if (tools.success) tools.data.release();
  const lastCall = open.policy.endedBy(conversed);
  const ended = conversed.success ? closed : conversed;
  const isEnded = lastCall !== null || open.pause.isEndedBy(conversed);
  const brokenOff = isEnded ? null : stopReason(ended, deadline.reason, session, open.modelFaults?.holding ?? null);
  return concludeConversation(planned, rendered, open, { lastCall, isEnded, brokenOff });
}

async function openConversation(
  planned: PlannedCase,
  rendered: RenderedCase,
  { ref, deadline: { signal }, context, workspace }: Surroundings,
  run: RunContext,
): Promise<OpenConversation> {
  const { emit } = run;
  const seed = hashText(`${run.seed}\n${planned.lotId ?? planned.id}\n${ref.trial}`);
  const { opened: made, folder } = workspace;
  const delegations = openDelegations(planned, rendered, { ref, seed }, run);
  const delegate = delegations?.delegate ?? null;
  const opening = made.success
    ? withinTrial(() => run.tools.open(planned, rendered, { ref, seed, signal, workspace: folder, delegate }))
    : made;
  // Few trials have something to wait for here.
  const tools = opening instanceof Promise ? await opening : opening;
  if (tools.success) delegations?.useTools(tools.data);
  const user = openSimulatedUser(planned, rendered, ref, seed, run);
  const simulator = user.success ? user.data : null;
  const policy = createToolErrorPolicy(planned, signal, ref, emit);
  const runtime = tools.success ? tools.data.runtime : { mayPause: false };
  const pause = pauseAtMissingApproval(runtime, { stopped: signal, isModel: planned.test.target === null });
  const watcher: Pick<ToolErrorPolicy, "watch"> = { watch: (settings) => pause.watch(policy.watch(settings)) };
  const modelFaults = planned.fault.faults.some(isModelFault) ? createModelFaults(planned.fault.faults, seed) : null;
  const beginning = !tools.success
    ? tools
    : !user.success
      ? user
      : withinTrial(() =>
          openSession(
            planned,
            rendered,
            ref,
            {
              seed,
              tools: tools.data.runtime,
              simulator,
              delegations,
              watcher,
              workspace: folder,
              modelFaults,
              todos: tools.data.todos,
            },
            run,
          ),
        );
  const opened = beginning instanceof Promise ? await beginning : beginning;
  if (opened.success) delegations?.follow(opened.data.transcript);
  const session = opened.success ? success(pause.wrap(policy.wrap(opened.data))) : opened;
  const retryUntil = openRetryUntil(session, rendered, { ref, fault: planned.fault.id, context, emit });
  return { tools, session, simulator, policy, pause, retryUntil, modelFaults };
}

/** Sends the user turns of a conversation one after the other, until one is not answered. */
async function converse(
  session: TargetSession,
  rendered: RenderedCase,
  signal: AbortSignal,
  { simulator, retryUntil }: OpenConversation,
): Promise<Result<void>> {
  const send: SendMessage = (message) => session.send(message, { signal });
  if (simulator !== null) return simulator.converse(rendered.userTurns, send, session.transcript, signal);
  for (const [index, message] of rendered.userTurns.entries()) {
    if (signal.aborted) return failure(trialStopped());
    const answered = await (retryUntil === null ? send(message) : retryUntil.answer(index, message, send));
    if (!answered.success) return answered;
    if (retryUntil?.hasGivenUp === true) break;
  }
  return success(undefined);
}

/** How a conversation ended. */
interface ConversationEnding {
  /** The call whose error ended it; null if none did. */
  lastCall: ToolInvocation | null;
  /** A tool error or a missing approval ended it. */
  isEnded: boolean;
  /** What else ended it early; null if nothing did. */
  brokenOff: KindlmError | null;
}

const endingCall = (last: ConversationEnding["lastCall"]): string =>
  last === null ? "a call waits for an approval" : `${last.call.tool} failed`;

/** What is left when everything is closed. */
function concludeConversation(
  { fault, test }: PlannedCase,
  rendered: RenderedCase,
  { tools, session, simulator, policy, pause, retryUntil, modelFaults }: OpenConversation,
  { lastCall, isEnded, brokenOff }: ConversationEnding,
): HeldConversation {
  const transcript = session.success ? pause.cut(policy.cut(session.data.transcript)) : nothingSaid;
  const faults = fault.faults.length === 0 ? null : reportsOf(tools, modelFaults);
  const watch = tools.success ? tools.data.runtime.injections : null;
  const injections = placedInjections(fault, (id) => watch?.hasReached(id) === true);
  const endedBy = isEnded ? endingCall(lastCall) : null;
  const unreached = decideUnreached({ fault, placed: injections, reports: faults ?? [], endedBy, brokenOff });
  const unfired = !isEnded && faults !== null ? decideUnfired(faults, [...everyCall(transcript.toolCalls)]) : null;
  // A missing repeated call matters more than any assertion on the rest.
  const notRepeated = tools.success ? tools.data.notRepeated() : null;
  const unasked = () => askedNobody(test, rendered, transcript);
  const stoppedBy = brokenOff === null ? (notRepeated ?? unfired ?? unreached ?? unasked()) : (unreached ?? brokenOff);
  const approved = retryUntil === null ? null : retryUntil.outcome;
  const lost = lastCall === null || stoppedBy !== null ? approved : withEnding(lastCall, transcript, approved);
  const before = stoppedBy === null ? withPause(lost, transcript.toolCalls, rendered.assertions) : lost;
  const tries = retryUntil?.tries ?? null;
  return { transcript, stoppedBy, before, faults, simulator, tries, nudges: policy.nudges, injections };
}

function reportsOf(tools: Result<TrialTools>, ofModel: ModelFaults | null): readonly FaultReport[] {
  return [...(tools.success ? tools.data.runtime.faultReports() : []), ...(ofModel?.reports() ?? [])];
}

/** The error of an agent that runs its own tools without asking for the permissions of the test. */
function askedNobody(
  { permissions, target }: PlannedCase["test"],
  { answerScope, tools }: RenderedCase,
  { toolCalls }: Transcript,
): KindlmError | null {
  return permissions === undefined || target === null
    ? null
    : decideUnenforced(permissions, answerScope, tools, toolCalls);
}

function withEnding(lastCall: ToolInvocation, transcript: Transcript, approved: DecidedBefore | null): DecidedBefore {
  const { results, costUsd } = approved ?? { results: [], costUsd: 0 };
  return { results: [resultOfEnding(lastCall, transcript), ...results], costUsd };
}
