import type { ProgramExchange } from "./program-session.js";

/** An exchange that ends and starts again at a restart, for a program that lives as long as its conversation. */
export function createRestartable(open: () => Omit<ProgramExchange, "restart">): ProgramExchange {
  let current = open();
  return {
    ask: (question, signal) => current.ask(question, signal),
    async restart() {
      await current.close();
      current = open();
    },
    close: () => current.close(),
    stderr: () => current.stderr(),
  };
}
