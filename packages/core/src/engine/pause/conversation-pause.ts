import type { Result } from "../../result.js";
import { withSend, type SessionListener, type TargetSession, type Transcript } from "../../targets/target.js";
import { withInvoke, type ToolRuntime } from "../../tools/tool-runtime.js";

/** What one conversation does when a call waits for an approval that nobody gives. */
export interface ConversationPause {
  /** Sees and steers what goes on inside the session. */
  watch<Settings extends { listener: SessionListener; tools: ToolRuntime }>(settings: Settings): Settings;
  /** The session with a `send` that ends when the conversation is paused. */
  wrap(session: TargetSession): TargetSession;
  /** What the conversation is judged by. */
  cut(transcript: Transcript): Transcript;
  /** Whether nothing but the pause ended it. */
  isEndedBy(conversed: Result<void>): boolean;
}

interface PauseSettings {
  /** Aborts when the conversation is over for another reason. */
  stopped: AbortSignal;
  /** False for a program, which runs its own loop. */
  isModel: boolean;
}

const neverPaused: ConversationPause = {
  watch: (settings) => settings,
  wrap: (session) => session,
  cut: (transcript) => transcript,
  isEndedBy: () => false,
};

/**
 * Pauses a conversation: the calls of the same answer are made as far as they are permitted, and then the model is not
 * called again. A program is stopped immediately; what it asks for until it is gone is neither run nor recorded.
 */
export function pauseAtMissingApproval(
  { mayPause }: Pick<ToolRuntime, "mayPause">,
  { stopped, isModel }: PauseSettings,
): ConversationPause {
  if (!mayPause) return neverPaused;
  const paused = new AbortController();
  let begun = 0;
  const isOver = (): boolean => paused.signal.aborted && !isModel;

  return {
    watch(settings) {
      const { listener, tools } = settings;
      const ignored = new Set<string>();
      return {
        ...settings,
        listener: {
          ...listener,
          toolStarted(call) {
            if (isOver()) {
              ignored.add(call.id);
              return;
            }
            begun += 1;
            listener.toolStarted(call);
          },
          toolEnded(invocation) {
            if (ignored.has(invocation.call.id)) return;
            listener.toolEnded(invocation);
            if (invocation.permission?.decision === "pending" && !stopped.aborted) paused.abort();
          },
        },
        tools: withInvoke(tools, (call, { signal }) =>
          tools.invoke(call, { signal: isOver() ? paused.signal : isModel ? stopped : signal }),
        ),
      };
    },
    wrap: (session) =>
      withSend(session, (message, { signal }) =>
        session.send(message, { signal: AbortSignal.any([signal, paused.signal]) }),
      ),
    cut: (transcript) => {
      if (!isOver()) return transcript;
      const { messages, turns, toolCalls } = transcript;
      return { messages: [...messages], turns: [...turns], toolCalls: toolCalls.slice(0, begun) };
    },
    isEndedBy: (conversed) => paused.signal.aborted && (conversed.success || conversed.error.code === "ENGINE_ABORTED"),
  };
}
