import { success, type Result } from "../../result.js";
import type { ProviderResponse } from "../../providers/provider.js";
import { runInOrder } from "../../tools/run-in-order.js";
import type { ToolRuntime } from "../../tools/tool-runtime.js";
import type { AssistantMessage, Message, RequestedToolCall, ToolMessage } from "../../transcript/message.js";
import type { TurnRecord } from "../../transcript/turn.js";
import type { Recorder } from "../program/recorder.js";
import type { AgentQuestion, ModelService } from "./serve-model.js";
import type { Translation } from "./dialects/translation.js";

/** What lies between two messages that the agent knows of, since KindLM ran the calls and asked on by itself. */
interface Hidden {
  /** The answer that the agent was given, by which the place is found again in what it sends next. */
  text: string;
  callIds: readonly string[];
  before: readonly Message[];
  /** The answer as the model gave it, with the calls that the agent does not see. */
  whole: AssistantMessage;
  /** The results of those calls. */
  results: readonly ToolMessage[];
  /** The turn of the answer, which shows whether it was rolled back since. */
  turn: TurnRecord | undefined;
}

/**
 * Runs the calls of tools that the test defines itself (`names`), and hands on to the agent what is left: its own calls, or the
 * answer. So the tools of an agent that knows nothing of KindLM are simulated, and nothing that they would do is done.
 * What the agent does not know of is put back into its later requests.
 */
export function runToolsHere(
  service: ModelService,
  names: ReadonlySet<string>,
  tools: ToolRuntime,
  recorder: Recorder,
): ModelService {
  const hidden: Hidden[] = [];

  const runAll = (calls: readonly RequestedToolCall[], signal: AbortSignal): Promise<readonly ToolMessage[]> =>
    runInOrder(
      calls,
      (call) => tools.mayRunInParallel(call),
      async (call) => {
        const { outcome, content } = await recorder.invoke(call.tool, call.args ?? {}, signal);
        recorder.addResult(call.id, content);
        return { role: "tool", callId: call.id, tool: call.tool, content, isError: !outcome.ok };
      },
    );

  const askOn = async ({ translate }: AgentQuestion, signal: AbortSignal): Promise<Result<ProviderResponse>> => {
    const translated = translate();
    if (!translated.success) return service.ask({ translate, native: null }, signal);
    const { request, changes } = translated.data;
    const known = weave(request.messages, hidden);
    const since: Message[] = [];
    // An agent that wants a call wants it in the first answer, and no end of them.
    const { tool_choice: _wanted, ...params } = request.params;
    const next = (): Translation =>
      since.length === 0
        ? { request: { ...request, messages: known }, changes }
        : { request: { ...request, params, messages: [...known, ...since] }, changes: [] };
    for (;;) {
      // Each answer asks for the calls whose results the next one needs.
      const answered = await service.ask({ translate: () => success(next()), native: null }, signal);
      if (!answered.success) return answered;
      const { text, toolCalls, providerData } = answered.data;
      const here = toolCalls.filter(({ tool }) => names.has(tool));
      const left = toolCalls.filter(({ tool }) => !names.has(tool));
      const results = await runAll(here, signal);
      const whole: AssistantMessage = { role: "assistant", text, toolCalls };
      if (providerData !== undefined) whole.providerData = providerData;
      if (here.length > 0 && left.length === 0) {
        since.push(whole, ...results);
        continue;
      }
      if (since.length > 0 || here.length > 0) {
        const turn = recorder.transcript.turns.at(-1);
        hidden.push({ text, callIds: left.map(({ id }) => id), before: since, whole, results, turn });
      }
      return success({ ...answered.data, toolCalls: left });
    }
  };
  const count: ModelService["count"] = (native, signal) => service.count(native, signal);
  return { keptOf: service.keptOf, calls: service.calls, count, speaks: () => false, ask: askOn };
}

/**
 * The conversation as the model knows it. An answer is recognized by its calls, or else by its words, in their order.
 * What belongs to a rejected try is forgotten, though the try that stands may have used the same words.
 */
function weave(messages: readonly Message[], hidden: readonly Hidden[]): readonly Message[] {
  if (hidden.length === 0) return messages;
  const open = hidden.filter(({ turn }) => turn?.rejectedTry === undefined);
  return messages.flatMap((message): readonly Message[] => {
    if (message.role !== "assistant") return [message];
    const at = open.findIndex(({ text, callIds }) =>
      callIds.length > 0 ? message.toolCalls.some(({ id }) => callIds.includes(id)) : message.text === text,
    );
    const [found] = at === -1 ? [] : open.splice(at, 1);
    return found === undefined ? [message] : [...found.before, found.whole, ...found.results];
  });
}
