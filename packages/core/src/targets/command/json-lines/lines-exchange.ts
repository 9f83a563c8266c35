import type { ProcessInput } from "../../../processes/process-runner.js";
import { kindlmError, type KindlmError } from "../../../errors/kindlm-error.js";
import { failure, success, type Result } from "../../../result.js";
import { addUsage, type Usage } from "../../../transcript/usage.js";
import type { TargetOpening } from "../../define-target.js";
import type { ProgramAnswer, ProgramExchange, Question } from "../../program/program-session.js";
import type { Recorder } from "../../program/recorder.js";
import { targetError } from "../../program/target-error.js";
import { crashOf, startError, type CommandLine } from "../../program/command-line.js";
import { parseAgentLine, type AgentMessage } from "./parse-agent-line.js";
import { StringDecoder } from "node:string_decoder";

/** A line that is longer than this is not a message. */
export const mostLineChars = 10 * 1024 * 1024;

type Ran = Awaited<ReturnType<CommandLine["run"]>>;

/** The answer that is being given, piece by piece. */
interface OpenAnswer {
  answer: ProgramAnswer;
  settle(result: Result<ProgramAnswer>): void;
}

/** How long a program may take to end once its stdin has. */
const leaveMs = 2_000;

/** One process for the whole trial, which talks with KindLM in lines of JSON. */
export class LinesExchange implements Omit<ProgramExchange, "restart"> {
  readonly #line: CommandLine;
  readonly #session: string;
  readonly #opening: TargetOpening;
  readonly #recorder: Recorder;
  readonly #life = new AbortController();
  #stdin: ProcessInput | null = null;
  #running: Promise<Ran> | null = null;
  #open: OpenAnswer | null = null;
  #broken: KindlmError | null = null;
  /** Of the last question: aborts when the trial is over, and nobody may be waited for any longer. */
  #trial: AbortSignal | null = null;
  #ended: Ran | null = null;
  #stderr = "";

  constructor(line: CommandLine, session: string, opening: TargetOpening, recorder: Recorder) {
    this.#line = line;
    this.#session = session;
    this.#opening = opening;
    this.#recorder = recorder;
  }

  async ask({ number, message }: Question, signal: AbortSignal): Promise<Result<ProgramAnswer>> {
    if (this.#broken !== null) return failure(this.#broken);
    if (this.#ended !== null) return endOf(this.#ended, emptyAnswer(), this.#line.command[0]);
    const answered = new Promise<Result<ProgramAnswer>>((resolve) => {
      this.#open = { answer: emptyAnswer(), settle: resolve };
    });
    this.#trial = signal;
    const onAbort = (): void => this.#life.abort();
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    this.#running ??= this.#start();
    const traceparent = this.#opening.traced?.trace.nextTraceparent();
    this.#tell({ type: "user", turn: number, content: message?.content ?? null, traceparent });
    const result = await answered;
    signal.removeEventListener("abort", onAbort);
    // What is to be killed is dead before the trial is over.
    if (signal.aborted || this.#broken !== null) await this.#running;
    return result;
  }

  async close(): Promise<void> {
    if (this.#running === null) return;
    const left = new AbortController();
    this.#stdin?.end();
    const patience = this.#trial === null ? left.signal : AbortSignal.any([left.signal, this.#trial]);
    await Promise.race([this.#running, this.#opening.clock.sleep(leaveMs, patience)]);
    left.abort();
    this.#life.abort();
    await this.#running;
  }

  stderr(): string {
    return this.#stderr;
  }

  async #start(): Promise<Ran> {
    const lines = createLineSplitter((text) => this.#takeLine(text));
    const ran = await this.#line.run({
      stdin: "",
      signal: this.#life.signal,
      converse: (input) => {
        this.#stdin = input;
        this.#tell(startMessage(this.#opening, this.#session));
        return (chunk) => lines.push(chunk);
      },
    });
    this.#stdin = null;
    if (ran.success) {
      this.#stderr = ran.data.stderr;
      lines.end();
    }
    this.#ended = ran;
    if (this.#open !== null) this.#settle(endOf(ran, this.#open.answer, this.#line.command[0]));
    return ran;
  }

  #takeLine(text: string): void {
    if (this.#broken !== null) return;
    const parsed = parseAgentLine(text);
    if (parsed.success) {
      if (parsed.data !== null) this.#take(parsed.data);
      return;
    }
    const details = { kind: parsed.error.kind, body: text.slice(0, 2_000) };
    this.#fail(kindlmError("TARGET_ERROR", parsed.error.message, { details }));
  }

  #take(message: AgentMessage): void {
    if (this.#open === null) {
      const found = `The agent wrote "${message.type}" without a request`;
      return this.#fail(targetError("unexpected_message", found));
    }
    const { answer } = this.#open;
    if ("agent" in message && message.agent !== undefined && message.agent !== answer.agent) {
      this.#conclude(answer);
      answer.agent = message.agent;
    }
    switch (message.type) {
      case "text":
        answer.text += message.text;
        return;
      case "usage":
        return addUsageOf(answer, message);
      case "error":
        return this.#fail(targetError("unexpected", `The agent reported an error: ${message.message}`));
      case "done":
        answer.finishReason = message.finish_reason ?? "stop";
        return this.#settle(success(answer));
      case "tool_call":
        return this.#takeCall(message);
    }
  }

  /** What was said before a call, or by another agent, is an answer by itself. */
  #conclude(answer: ProgramAnswer): void {
    if (answer.text.trim() !== "") this.#recorder.say(answer.text, answer.agent);
    answer.text = "";
  }

  #takeCall(message: Extract<AgentMessage, { type: "tool_call" }>): void {
    const { id, tool, args, result, error } = message;
    const call = { id, tool, args: args ?? {} };
    const by = this.#open?.answer.agent;
    if (by !== undefined && this.#open !== null) this.#conclude(this.#open.answer);
    if (error !== undefined) {
      const told = { errorType: "runtime", message: error, retryable: true } as const;
      this.#recorder.addCall(call, { ok: false, failure: told }, by);
    } else if (Object.hasOwn(message, "result")) this.#recorder.addCall(call, { ok: true, value: result }, by);
    else void this.#runTool(call, by);
  }

  async #runTool({ id, tool, args }: { id: string; tool: string; args: unknown }, agent?: string): Promise<void> {
    const { outcome, content } = await this.#recorder.invoke(tool, args, this.#life.signal, { agent });
    const told = outcome.ok ? { ok: true, value: outcome.value } : { ok: false, error: outcome.failure };
    this.#tell({ type: "tool_result", id, ...told, content });
  }

  #tell(message: Readonly<Record<string, unknown>>): void {
    this.#stdin?.write(`${JSON.stringify(message)}\n`);
  }

  #settle(result: Result<ProgramAnswer>): void {
    const waiting = this.#open;
    this.#open = null;
    waiting?.settle(result);
  }

  #fail(error: KindlmError): void {
    this.#broken ??= error;
    this.#settle(failure(error));
    this.#life.abort();
  }
}

function startMessage(opening: TargetOpening, session: string): Readonly<Record<string, unknown>> {
  const { origin, system, history, tools } = opening;
  const { caseId, trial, seed } = origin;
  const told = history.map((message) => ({ ...message, providerData: undefined }));
  return {
    type: "start",
    protocol: 1,
    case: caseId,
    trial,
    seed,
    session,
    system,
    history: told,
    tools: tools.definitions,
  };
}

/** A program that ends in good order has answered, even if it does not say so. */
function endOf(ran: Ran, answer: ProgramAnswer, program: string): Result<ProgramAnswer> {
  if (!ran.success) return failure(startError(ran.error));
  if (ran.data.exitCode !== 0) return failure(crashOf(ran.data, program, "before it answered"));
  return success({ ...answer, finishReason: answer.finishReason ?? "stop" });
}

function emptyAnswer(): ProgramAnswer {
  return { text: "", usage: null, costUsd: null, model: null, finishReason: null };
}

function addUsageOf(answer: ProgramAnswer, message: Extract<AgentMessage, { type: "usage" }>): void {
  const { input_tokens: inputTokens, output_tokens: outputTokens } = message;
  const usage: Usage = { inputTokens, outputTokens };
  if (message.cached_input_tokens !== undefined) usage.cachedInputTokens = message.cached_input_tokens;
  if (message.reasoning_tokens !== undefined) usage.reasoningTokens = message.reasoning_tokens;
  answer.usage = answer.usage === null ? usage : addUsage(answer.usage, usage);
  if (message.cost_usd !== undefined) answer.costUsd = (answer.costUsd ?? 0) + message.cost_usd;
  answer.model = message.model ?? answer.model;
}

/** Cuts what arrives in pieces into lines. A line that grows beyond all bounds is handed on as it is then. */
export function createLineSplitter(onLine: (line: string) => void): { push(chunk: Uint8Array): void; end(): void } {
  const decoder = new StringDecoder("utf8");
  let pieces: string[] = [];
  let length = 0;
  const flush = (): void => {
    const line = pieces.join("");
    pieces = [];
    length = 0;
    onLine(line);
  };
  return {
    push(chunk) {
      const parts = decoder.write(Buffer.from(chunk)).split("\n");
      for (const [index, part] of parts.entries()) {
        if (index > 0) flush();
        pieces.push(part);
        length += part.length;
      }
      if (length > mostLineChars) flush();
    },
    end() {
      pieces.push(decoder.end());
      flush();
    },
  };
}
