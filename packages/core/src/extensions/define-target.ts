import type { AgentAnswer, AgentContext, AgentRun } from "../targets/module/define-agent.js";
import type { ArgsOf, ParamDefinitions } from "../tools/param-definition.js";
import { registering } from "./extension.js";

/** A kind of target that a module of `extensions:` registers. */
export interface TargetExtension<Options extends ParamDefinitions = ParamDefinitions> {
  /** The key in the config, as in `target: { my_agent: … }`: lower case letters, digits and `_`. */
  type: string;
  /** The value of the key in the config, as the parameters of a tool are defined. Default: none. */
  options?: Options;
  /**
   * Answers one user message. `context.options` are the options from the config, checked and with their defaults. A
   * throw makes the trial errored with a TARGET_ERROR, which counts as not passed.
   */
  run(input: string, context: AgentContext<ArgsOf<Options>>): string | AgentAnswer | Promise<string | AgentAnswer>;
}

/**
 * Declares a kind of target. Export it from a module that `extensions:` of the config names, and use it as
 * `target: { type: { …options } }`. It runs in the worker of your modules, like an agent of `target: { module: … }`.
 */
export function defineTarget<const Options extends ParamDefinitions = ParamDefinitions>(
  extension: TargetExtension<Options>,
): AgentRun<ArgsOf<Options>> {
  const { type, options = {} } = extension;
  const run: AgentRun<ArgsOf<Options>> = (input, context) => extension.run(input, context);
  return registering(run, { family: "target", type, options });
}
