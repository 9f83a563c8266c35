import { rehearseChaos } from "@kindlm/core";
import { isCi } from "../../is-ci.js";
import { printAnswer, printError } from "../../print-answer.js";
import { wantsColor } from "../../wants-color.js";
import type { InvocationOf } from "../command-definition.js";
import type { doctorCommand } from "./command.js";
import { renderChaosReport } from "./render-chaos-report.js";

/** `kindlm doctor --chaos`. A rehearsal that could be held is a success, however the run would have gone. */
export async function runChaos(invocation: InvocationOf<typeof doctorCommand>): Promise<number> {
  const { args, flags, global, environment } = invocation;
  const paths = [...args, ...global.config];
  const rehearsed = await rehearseChaos({ paths, ci: isCi(environment.env) }, environment.core);
  if (!rehearsed.success) return printError(invocation, rehearsed.error, paths, flags.json ? {} : null);
  const color = wantsColor(environment, environment.stdout, global.color);
  const text = renderChaosReport(rehearsed.data, { color, verbose: global.verbose });
  return printAnswer(invocation, { data: rehearsed.data, text, name: "report" });
}
