import type { InvocationOf } from "../command-definition.js";
import { withoutWatch, type watchCommand } from "./command.js";
import { execute as executeTest } from "./execute.js";

/** `kindlm watch` is `kindlm test --watch`. */
export function execute(invocation: InvocationOf<typeof watchCommand>): Promise<number> {
  return executeTest({ ...invocation, flags: { ...invocation.flags, ...withoutWatch, watch: true } });
}
