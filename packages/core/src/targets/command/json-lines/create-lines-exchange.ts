import type { ProcessInput } from "../../../processes/process-runner.js";
import { kindlmError, type KindlmError } from "../../../errors/kindlm-error.js";
import { failure, success, type Result } from "../../../result.js";
import { addUsage, type Usage } from "../../../transcript/usage.js";
import type { TargetOpening } from "../../define-target.js";
import type { ProgramAnswer, ProgramExchange } from "../../program/create-program-session.js";
import type { Recorder } from "../../program/create-recorder.js";
import { targetError } from "../../program/target-error.js";
import { crashOf, startError, type CommandLine } from "../command-line.js";
import { createLineSplitter } from "./create-line-splitter.js";
import { parseAgentLine, type AgentMessage } from "./parse-agent-line.js";

type Ran = Awaited<ReturnType<CommandLine["run"]>>;

/** The answer that is being given, piece by piece. */
interface OpenAnswer {
  answer: ProgramAnswer;
  settle(result: Result<ProgramAnswer>): void;
}

/** How long a program may take to end once its stdin has. */
const leaveMs = 2_000;

/** One process for the whole trial, which talks with KindLM in lines of JSON. */
export function createLinesExchange(
  line: CommandLine,
  session: string,
  opening: TargetOpening,
  recorder: Recorder,
): Omit<ProgramExchange, "restart"> {
  const { clock } = opening;
  const life = new AbortController();
  let stdin: ProcessInput | null = null;
  let running: Promise<Ran> | null = null;
  let open: OpenAnswer | null = null;
  let broken: KindlmError | null = null;
  /** Of the last question: aborts when the trial is over, and nobody may be waited for any more. */
  let trial: AbortSignal | null = null;
  let ended: Ran | null = null;
  let stderr = "";

  const tell = (message: Readonly<Record<string, unknown>>): void => stdin?.write(`${JSON.stringify(message)}\n`);

  const settle = (result: Result<ProgramAnswer>): void => {
    const waiting = open;
    open = null;
    waiting?.settle(result);
  };

  const fail = (error: KindlmError): void => {
    broken ??= error;
    settle(failure(error));
    life.abort();
  };

  const runTool = async (id: string, tool: string, args: unknown): Promise<void> => {
    const { outcome, content } = await recorder.invoke(tool, args ?? {}, life.signal);
    const told = outcome.ok ? { ok: true, value: outcome.value } : { ok: false, error: outcome.failure };
    tell({ type: "tool_result", id, ...told, content });
  };

  const take = (message: AgentMessage): void => {
    if (open === null) {
      return fail(targetError("unexpected_message", `The agent wrote "${message.type}" when nothing was asked of it`));
    }
    const { answer } = open;
    switch (message.type) {
      case "text":
        answer.text += message.text;
        return;
      case "usage":
        addUsageOf(answer, message);
        return;
      case "error":
        return fail(targetError("unexpected", `The agent said that it cannot answer: ${message.message}`));
      case "done":
        answer.finishReason = message.finish_reason ?? "stop";
        return settle(success(answer));
      case "tool_call": {
        const { id, tool, args, result, error } = message;
        if (error !== undefined) {
          const told = { errorType: "runtime", message: error, retryable: true } as const;
          recorder.addCall({ id, tool, args: args ?? {} }, { ok: false, failure: told });
        } else if (Object.hasOwn(message, "result")) {
          recorder.addCall({ id, tool, args: args ?? {} }, { ok: true, value: result });
        } else void runTool(id, tool, args);
      }
    }
  };

  const takeLine = (text: string): void => {
    if (broken !== null) return;
    const parsed = parseAgentLine(text);
    if (parsed.success) {
      if (parsed.data !== null) take(parsed.data);
      return;
    }
    const details = { kind: parsed.error.kind, body: text.slice(0, 2_000) };
    fail(kindlmError("TARGET_ERROR", parsed.error.message, { details }));
  };

  const start = (): Promise<Ran> => {
    const lines = createLineSplitter(takeLine);
    const started = line.run({
      stdin: "",
      signal: life.signal,
      converse(input) {
        stdin = input;
        tell(startMessage(opening, session));
        return lines.push;
      },
    });
    return started.then((ran) => {
      stdin = null;
      if (ran.success) {
        ({ stderr } = ran.data);
        lines.end();
      }
      ended = ran;
      if (open !== null) settle(endOf(ran, open.answer, line.command[0]));
      return ran;
    });
  };

  return {
    async ask(question, signal) {
      if (broken !== null) return failure(broken);
      if (ended !== null) return endOf(ended, emptyAnswer(), line.command[0]);
      const answered = new Promise<Result<ProgramAnswer>>((resolve) => {
        open = { answer: emptyAnswer(), settle: resolve };
      });
      trial = signal;
      const onAbort = (): void => life.abort();
      signal.addEventListener("abort", onAbort, { once: true });
      if (signal.aborted) onAbort();
      running ??= start();
      tell({ type: "user", turn: question.number, content: question.message?.content ?? null });
      const result = await answered;
      signal.removeEventListener("abort", onAbort);
      // What is to be killed is dead before the trial is over.
      if (signal.aborted || broken !== null) await running;
      return result;
    },
    async close() {
      if (running === null) return;
      const left = new AbortController();
      stdin?.end();
      const patience = trial === null ? left.signal : AbortSignal.any([left.signal, trial]);
      await Promise.race([running, clock.sleep(leaveMs, patience)]);
      left.abort();
      life.abort();
      await running;
    },
    stderr: () => stderr,
  };
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
