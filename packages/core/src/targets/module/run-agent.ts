import type { RunAction } from "../../modules/module-action.js";
import { moduleFailure, runUserCode } from "../../modules/module-failure.js";
import { success } from "../../result.js";
import { deepFreeze } from "../../values/deep-freeze.js";
import { jsonLimitOf } from "../../values/parse-json.js";
import type { AgentInput, AgentToolCall } from "./agent-action.js";
import type { AgentContext, AgentRun, AgentToolOutcome } from "./define-agent.js";

/** The agents of a worker, with what they remember of each conversation. */
export interface AgentKeeper {
  run: RunAction<AgentInput, unknown>;
  forget: RunAction<{ conversation: string }, null>;
}

export function createAgentKeeper(): AgentKeeper {
  const states = new Map<string, Record<string, unknown>>();
  return {
    async run({ input, conversation, hasBegun, definitions, ...given }, scope) {
      const loaded = await scope.load();
      if (!loaded.success) return moduleFailure("missing", loaded.error.message, loaded.error.cause);
      const agent = loaded.data;
      if (!isRun(agent)) return moduleFailure("unfit", "is not a function");
      const state = states.get(conversation) ?? {};
      if (hasBegun && !states.has(conversation)) {
        return moduleFailure("swept", "lost the state of the conversation, because its worker was stopped");
      }
      states.set(conversation, state);
      const call = async (tool: string, args: unknown = {}): Promise<AgentToolOutcome> => {
        const limit = jsonLimitOf({ tool, args });
        const asked: AgentToolCall = limit === null ? { tool, args } : { tool, limit };
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- module-target.ts answers it
        return (await scope.ask(asked)) as AgentToolOutcome;
      };
      const data = deepFreeze({ ...given, definitions });
      const context: AgentContext = {
        ...given,
        state,
        tools: { definitions: data.definitions, call },
        signal: scope.signal,
      };
      return runUserCode<unknown>(() => agent(input, context));
    },
    async forget({ conversation }) {
      states.delete(conversation);
      return success(null);
    },
  };
}

function isRun(value: unknown): value is AgentRun {
  return typeof value === "function";
}
