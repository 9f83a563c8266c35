import { plural, renderDuration, visibleLine, withCounts } from "@kindlm/core/program";
import { rehearseChaos, type ChaosOutcome, type ChaosReport } from "@kindlm/core/commands/rehearse-chaos";
import { isCi } from "../../terminal/is-ci.js";
import { printAnswer, printError } from "../print-answer.js";
import type { ErrorView } from "../../errors/render-error.js";
import { wantsColor } from "../../terminal/wants-color.js";
import type { InvocationOf } from "../command-definition.js";
import type { doctorCommand } from "./command.js";
import { createColors, type Colors } from "../../terminal/colors.js";

/** `kindlm doctor --chaos`. A rehearsal that could be held is a success, however the run would have gone. */
export async function runChaos(invocation: InvocationOf<typeof doctorCommand>): Promise<number> {
  const { args, flags, global, environment } = invocation;
  const paths = [...args, ...global.config];
  const rehearsed = await rehearseChaos({ paths, ci: isCi(environment.env) }, environment.core);
  if (!rehearsed.success) return printError(invocation, rehearsed.error, paths, flags.json ? {} : null);
  const color = wantsColor(environment, environment.stdout, global.color);
  const text = render(rehearsed.data, { color, verbose: global.verbose, asTyped: environment.asTyped });
  return printAnswer(invocation, { data: rehearsed.data, text, name: "report" });
}

/** A block for each provider, and in it two lines or three for each way to misbehave. */
function render({ cases, totalCases, outcomes }: ChaosReport, view: Required<Omit<ErrorView, "digest">>): string {
  const colors = createColors(view.color);
  const some = cases < totalCases ? withCounts` (the first ${cases} of ${totalCases})` : "";
  const lines = [
    `Rehearsal of ${plural(cases, "case")}${some}: nothing is sent, no tool is called, time is simulated.`,
    "A case counts as answered if its conversation reached its end. Assertions are not evaluated.",
  ];
  let provider: string | null = null;
  for (const outcome of outcomes) {
    if (outcome.provider !== provider) lines.push("", colors.bold(`If ${visibleLine(outcome.provider)} …`));
    ({ provider } = outcome);
    lines.push(...renderOutcome(outcome, view, colors).map((line, index) => (index === 0 ? line : visibleLine(line))));
  }
  return `${lines.join("\n")}\n`;
}

function renderOutcome(
  outcome: ChaosOutcome,
  { verbose, asTyped }: Required<Omit<ErrorView, "digest">>,
  colors: Colors,
): string[] {
  const { answered, errored, skipped, requests, retries, fallbacks, circuitOpened } = outcome;
  const mark = outcome.exitCode === 0 ? colors.green("✓") : colors.red("✗");
  const counts = [withCounts`${answered} answered`, withCounts`${errored} errored`];
  if (skipped > 0) counts.push(withCounts`${skipped} skipped`);
  const effort = [plural(requests, "request"), withCounts`${retries} of them retries`];
  if (fallbacks > 0) effort.push(`${fallbacks} by fallback`);
  if (circuitOpened > 0) effort.push(`circuit opened ${circuitOpened === 1 ? "once" : `${circuitOpened} times`}`);
  const lines = [
    `  ${mark} ${outcome.scenario}: it ${outcome.summary}`,
    `      exit code ${outcome.exitCode} · ${counts.join(", ")} · ${effort.join(", ")} · ${renderDuration(outcome.durationMs)}`,
  ];
  if (outcome.trippedGates.length > 0) lines.push(`      failed gates: ${outcome.trippedGates.join(", ")}`);
  if (verbose) {
    const codes = Object.entries(outcome.errorsByCode).map(([code, count]) => withCounts`${count} ${code}`);
    if (codes.length > 0) lines.push(`      errors: ${codes.join(", ")}`);
    if (outcome.reasons.length > 0) lines.push(asTyped(`      would fail because: ${outcome.reasons.join("; ")}`));
  }
  return [...lines, ...outcome.advice.map((advice) => `      → ${advice}`)];
}
