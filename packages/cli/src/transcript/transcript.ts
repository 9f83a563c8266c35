import type {
  AssistantMessage,
  Delegation,
  Message,
  RejectedTry,
  TrialResult,
  TrialToolCall,
  TurnRecord,
} from "@kindlm/core";
import { agentsIn, describeAsides, plural, preview, renderDuration } from "@kindlm/core/program";
import { describeEnd, describePermission } from "./kindlm-lines.js";
import type { CalledTool, RowParts, TranscriptRow } from "./transcript-row.js";
import { TrialClock } from "./trial-clock.js";
import { isAnswer, isAnswered, startsTurn } from "./user-turns.js";

/**
 * Everything that was said and done in a trial, in its order: messages, calls with their results, injected faults,
 * failed attempts, tries that were taken back.
 */
export function transcriptOf(trial: TrialResult): TranscriptRow[] {
  return new TranscriptBuilder(trial).build();
}

/** Whether the user's message of this text is one that a model wrote. */
function simulatedTexts({ simulatedUser }: Conversation): ReadonlySet<string> {
  const said = simulatedUser?.conversation.filter(({ by }) => by === "simulated_user") ?? [];
  return new Set(said.map(({ text }) => text));
}

/** What was said in a trial, or with a sub-agent. */
type Conversation = Pick<
  TrialResult,
  "messages" | "turns" | "toolCalls" | "output" | "tries" | "simulatedUser" | "startedAt" | "durationMs"
> &
  Partial<Pick<TrialResult, "gateway">>;

class TranscriptBuilder {
  readonly #trial: Conversation;
  readonly #agents: readonly string[];
  readonly #rows: TranscriptRow[] = [];
  readonly #clock: TrialClock;
  readonly #simulated: ReadonlySet<string>;
  /** Calls that no message has claimed yet, in their order. */
  #calls: TrialToolCall[];
  /** Requests that no message has claimed yet. */
  #turns: TurnRecord[];
  /** Tries that were taken back and are not shown yet. */
  #rejected: RejectedTry[];
  /** Whether several agents have names, so lines show whose they are. */
  readonly #hasAgents: boolean;
  readonly #repeats = new Map<string, number>();
  /** From 1; 0 and below in the history of the test. */
  #userTurn = 0;
  /** How many of the agent's messages are history still. */
  #given = 0;

  constructor(trial: Conversation, agents: readonly string[] = []) {
    this.#trial = trial;
    this.#agents = agents;
    this.#clock = new TrialClock(trial);
    this.#simulated = simulatedTexts(trial);
    this.#hasAgents = agentsIn({ messages: trial.messages }).length > 1;
    this.#calls = [...trial.toolCalls];
    this.#turns = [...trial.turns];
    this.#rejected = [...(trial.tries?.rejected ?? [])];
  }

  build(): TranscriptRow[] {
    const { messages, turns, output } = this.#trial;
    const answered = turns.filter((turn) => turn.rejectedTry === undefined && isAnswered(turn));
    this.#given = messages.filter(({ role }) => role === "assistant").length - answered.length;
    const asked = Math.max(0, ...turns.map(({ userTurn }) => userTurn ?? 0));
    this.#userTurn = asked - messages.filter(startsTurn).length;
    for (const [index, message] of messages.entries()) {
      if (startsTurn(message)) this.#beginTurn();
      if (isAnswer(messages, index)) this.#unclaimedOf(this.#userTurn);
      this.#message(message);
    }
    this.#endTurn(Number.POSITIVE_INFINITY);
    for (const turn of this.#turns) {
      this.#attempts(turn.attempts.slice(0, -1));
      this.#struck(turn);
    }
    if (messages.length === 0 && output !== "") this.#push({ by: "agent", text: output });
    for (const { kind, path, requests, reason } of this.#trial.gateway?.changes ?? [])
      this.#push({ by: "kindlm", text: `${kind} ${path} in ${plural(requests, "request")} to the model: ${reason}` });
    for (const text of describeAsides(turns)) this.#push({ by: "kindlm", text });
    const { simulatedUser } = this.#trial;
    if (simulatedUser !== undefined) {
      const { stoppedBy } = simulatedUser;
      this.#push({ by: "kindlm", text: describeEnd(stoppedBy, this.#trial.toolCalls) });
    }
    return this.#rows;
  }

  #push(row: RowParts, atMs = this.#clock.nowMs): void {
    const whose = this.#agents.length === 0 ? {} : { agents: this.#agents };
    this.#rows.push({ ...row, atMs: this.#userTurn > 0 ? atMs : null, ...whose });
  }

  #beginTurn(): void {
    this.#endTurn(this.#userTurn);
    this.#userTurn += 1;
    this.#rejectedTries((one) => one.userTurn === this.#userTurn && one.messages.length > 0);
  }

  /** Calls that no message contains, since the agent ran its own tools and reported them, and the try that stands. */
  #endTurn(userTurn: number): void {
    this.#unclaimedOf(userTurn);
    this.#rejectedTries((one) => one.userTurn <= userTurn);
  }

  #unclaimedOf(userTurn: number): void {
    this.#unclaimed((call) => (call.userTurn ?? 0) <= userTurn && call.rejectedTry === undefined);
  }

  #rejectedTries(isMeant: (one: RejectedTry) => boolean): void {
    const meant = this.#rejected.filter(isMeant);
    this.#rejected = this.#rejected.filter((one) => !isMeant(one));
    for (const { userTurn, try: number, reason, messages } of meant) {
      const reported = (): void =>
        this.#unclaimed((call) => call.rejectedTry === number && (call.userTurn ?? userTurn) === userTurn);
      for (const [index, message] of messages.entries()) {
        if (isAnswer(messages, index)) reported();
        this.#message(message, number);
      }
      reported();
      this.#push({ by: "kindlm", text: reason, note: `try ${number} rejected`, isTrouble: true });
    }
  }

  #message(message: Message, rejectedTry?: number): void {
    if (message.role === "user") this.#user(message);
    if (message.role === "assistant") this.#assistant(message, rejectedTry);
  }

  #user({ content, isNudge }: Message & { role: "user" }): void {
    const text =
      typeof content === "string"
        ? content
        : content.map((part) => (part.type === "text" ? part.text : "[image]")).join("\n");
    if (isNudge === true) this.#push({ by: "kindlm", text, note: "nudge" });
    else this.#push({ by: "user", text, ...(this.#simulated.has(text) ? { note: "simulated" } : {}) });
  }

  #named(agent: string | undefined): { name?: string } {
    return agent === undefined || !this.#hasAgents ? {} : { name: agent };
  }

  #assistant({ text, toolCalls, agent }: AssistantMessage, rejectedTry?: number): void {
    if (rejectedTry === undefined && this.#given > 0) this.#given -= 1;
    else this.#attemptsOf(rejectedTry);
    if (text !== "") this.#push({ by: "agent", text, ...this.#named(agent) });
    for (const { tool, args, malformed } of toolCalls) {
      const record = this.#userTurn > 0 ? this.#claim(tool, rejectedTry) : null;
      this.#call({ tool, args, raw: malformed?.raw ?? null, record }, agent);
    }
  }

  #claim(tool: string, rejectedTry: number | undefined): TrialToolCall | null {
    const at = this.#calls.findIndex((call) => call.tool === tool && call.rejectedTry === rejectedTry);
    return at === -1 ? null : (this.#calls.splice(at, 1)[0] ?? null);
  }

  #unclaimed(isMeant: (call: TrialToolCall) => boolean): void {
    const meant = this.#calls.filter(isMeant);
    this.#calls = this.#calls.filter((call) => !isMeant(call));
    for (const record of meant) this.#call({ tool: record.tool, args: record.args, raw: null, record });
  }

  #call({ tool, args, raw, record }: Omit<CalledTool, "repeat">, agent = record?.agent): void {
    // A try that was taken back never happened for the agent.
    const key = JSON.stringify([tool, raw ?? args, record?.rejectedTry]);
    const repeat = (this.#repeats.get(key) ?? 0) + 1;
    this.#repeats.set(key, repeat);
    const startMs = record === null ? undefined : this.#clock.take(record, record.durationMs ?? 0);
    this.#push({ by: "agent", call: { tool, args, raw, record, repeat }, ...this.#named(agent) }, startMs);
    if (record?.delegation !== undefined) this.#delegated(record.delegation, startMs ?? null);
    if (record !== null) this.#outcome(record);
  }

  /** What a sub-agent did; its first message is in the arguments of the call. */
  #delegated({ template, model, turns, toolCalls, messages }: Delegation, atMs: number | null): void {
    const { startedAt, durationMs } = this.#trial;
    const times = startedAt === undefined ? { durationMs } : { startedAt, durationMs };
    const agents = [...this.#agents, template];
    const [, ...rows] = new TranscriptBuilder({ messages, turns, toolCalls, output: "", ...times }, agents).build();
    const text = `sub-agent ${template} on ${model}`;
    this.#rows.push({ by: "kindlm", text, atMs, agents }, ...rows);
  }

  #outcome({ fault, fallback, hook, permission, resumed, error, result }: TrialToolCall): void {
    if (fault !== undefined) {
      const said = error === undefined ? "" : `: ${preview(error.message, Number.POSITIVE_INFINITY)}`;
      this.#push({ by: "fault", text: `${fault.id}, injected${said}`, isTrouble: true });
    }
    if (hook !== undefined) {
      const isAfter = hook.hook === "postToolUse";
      if (isAfter) this.#answer(hook.error, hook.returned);
      const what = isAfter ? "replaced this" : hook.decision === "deny" ? "denied the call" : "replaced the call";
      const reason = hook.reason === null ? "" : `: ${hook.reason}`;
      this.#push({ by: "kindlm", text: `plugin ${hook.plugin} ${what}${reason}` });
    }
    const permitted = hook === undefined ? describePermission(permission) : null;
    if (permitted !== null) this.#push({ by: "kindlm", text: permitted });
    if (permission?.decision === "pending") return;
    if (resumed !== undefined) this.#push({ by: "kindlm", text: "from before the interruption, not repeated" });
    if (fallback !== undefined) {
      const what = fallback.by === "last_value" ? "its last value" : "its fallback";
      this.#push({ by: "kindlm", text: `answered by ${what} after: ${fallback.reason.message}` });
    }
    if (error === undefined || fault === undefined) this.#answer(error, result);
  }

  #answer(error: TrialToolCall["error"], result: unknown): void {
    if (error === undefined) this.#push({ by: "tool", result });
    else this.#push({ by: "tool", text: `${error.errorType} error: ${error.message}`, isTrouble: true });
  }

  /** The failed attempts before the next answer. */
  #attemptsOf(rejectedTry: number | undefined): void {
    for (;;) {
      const at = this.#turns.findIndex((turn) => turn.rejectedTry === rejectedTry);
      const [turn] = at === -1 ? [] : this.#turns.splice(at, 1);
      if (turn === undefined) return;
      this.#attempts(turn.attempts);
      if (turn.attempts.length === 0) this.#clock.take({}, turn.latencyMs);
      this.#struck(turn);
      // The agent did not get what a fault kept from it.
      if (turn.fault === undefined || isAnswered(turn)) return;
    }
  }

  #struck({ fault }: TurnRecord): void {
    if (fault !== undefined) this.#push({ by: "fault", text: `${fault.id}, injected into the model`, isTrouble: true });
  }

  #attempts(attempts: TurnRecord["attempts"]): void {
    for (const attempt of attempts) {
      const { error, provider, waitedMs } = attempt;
      this.#clock.take(attempt, attempt.latencyMs);
      if (error === null) continue;
      const waited = waitedMs === null ? {} : { note: `waited ${renderDuration(waitedMs)}` };
      this.#push({ by: "retry", text: `${provider}: ${error.message}`, ...waited, isTrouble: true });
      this.#clock.take({}, waitedMs ?? 0);
    }
  }
}
