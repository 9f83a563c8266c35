import { rehearseChaos } from "@kindlm/core";
import { errorViewOf } from "../../error-view.js";
import { explainError } from "../../explain-error.js";
import { isCi } from "../../is-ci.js";
import { renderError } from "../../render-error.js";
import { wantsColor } from "../../wants-color.js";
import type { Invocation } from "../command-definition.js";
import { renderChaosReport } from "./render-chaos-report.js";

/** `kindlm doctor --chaos`. A rehearsal that could be held is a success, however the run would have gone. */
export async function runChaosCommand(invocation: Invocation): Promise<number> {
  const { args, options, global, environment } = invocation;
  const { env, stdout, stderr } = environment;
  const wantsJson = options["json"] === true;
  const paths = [...args, ...global.config];
  const rehearsed = await rehearseChaos({ paths, ci: isCi(env) }, environment.core);
  if (!rehearsed.success) {
    const { error } = rehearsed;
    await stderr.write(renderError(error, errorViewOf(invocation, paths)));
    if (wantsJson) {
      const { code, message } = error;
      await stdout.write(toJson({ error: { code, message, problems: explainError(error, false) } }), "json");
    }
    return 1;
  }
  const color = wantsColor(environment, stdout, global.color);
  const text = wantsJson
    ? toJson(rehearsed.data)
    : renderChaosReport(rehearsed.data, { color, verbose: global.verbose });
  const problem = await stdout.write(text, wantsJson ? "json" : "text");
  if (problem !== null) await stderr.write(`✗ The report could not be written: ${problem}\n`);
  return problem === null ? 0 : 1;
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
