import type { RunResult } from "@kindlm/core";
import type { PrettyView } from "./pretty-view.js";

/** One line per gate, those of the run first. */
export function* renderGates({ gates }: RunResult, view: PrettyView): Iterable<string> {
  if (gates.length === 0) return;
  const { palette } = view;
  yield `\n${palette.bold("Gates")}\n`;
  for (const gate of gates) {
    const mark = gate.evaluated === false ? palette.dim("–") : gate.pass ? palette.green("✓") : palette.red("✗");
    yield `  ${mark} ${view.line(gate.message)}\n`;
  }
}
