import type { Check, CheckReturn } from "../assertions/module/define-check.js";
import type { ArgsOf, ParamDefinitions } from "../tools/param-definition.js";
import type { Trial } from "../transcript/trial.js";
import { registering } from "./extension.js";

/** An assertion type that a module of `extensions:` registers. */
export interface AssertionExtension<Options extends ParamDefinitions = ParamDefinitions> {
  /** The `type` in the config: lower case letters, digits and `_`. */
  type: string;
  /** One sentence: when it passes. */
  summary?: string;
  /** The keys that the assertion takes in the config, as the parameters of a tool are defined. Default: none. */
  options?: Options;
  /**
   * Decides about a trial, which is frozen. Returns whether it passes, a score from 0 to 1 (0.5 and more pass), or both
   * with a message. A throw makes the trial errored, not failed.
   */
  evaluate(options: ArgsOf<Options>, trial: Trial): CheckReturn | Promise<CheckReturn>;
}

/**
 * Declares an assertion type. Export it from a module that `extensions:` of the config names, and use it as
 * `{ type: … }` in any `assert:`. It runs in the worker of your modules.
 */
export function defineAssertion<const Options extends ParamDefinitions = ParamDefinitions>(
  extension: AssertionExtension<Options>,
): Check<ArgsOf<Options>> {
  const { type, summary = "", options = {} } = extension;
  const check: Check<ArgsOf<Options>> = (trial, given) => extension.evaluate(given, trial);
  return registering(check, { family: "assertion", type, summary, options });
}
