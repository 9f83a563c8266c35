import type { HandlerContext, HandlerOutcome } from "../../tool-handler.js";

/** What an agent delegates. */
export interface Task {
  description: string;
  prompt: string;
  /** ID of the template. */
  template: string;
  /** Absent if there is none. */
  context?: string;
  /** What is asked in place of the usual model: a model, or a name of one at the provider of the agent that delegates. */
  model?: string | { provider: string; model: string };
}

/** Where one agent of a trial delegates to. */
export interface Delegate {
  /** Those that the agent may choose from. */
  readonly templates: readonly { id: string; whenToUse: string | null }[];
  /** Holds the whole conversation. */
  run(task: Task, context: HandlerContext): Promise<HandlerOutcome>;
}
