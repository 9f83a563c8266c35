import { renderDuration, visibleLine, type ChaosOutcome, type ChaosReport } from "@kindlm/core";
import picocolors from "picocolors";
import type { DoctorView } from "./render-doctor-report.js";
import { plural } from "../../plural.js";

type Colors = ReturnType<typeof picocolors.createColors>;

/** A block for each provider, and in it two lines or three for each way to misbehave. */
export function renderChaosReport({ cases, totalCases, outcomes }: ChaosReport, view: DoctorView): string {
  const colors = picocolors.createColors(view.color);
  const some = cases < totalCases ? ` (the first ${cases} of ${totalCases})` : "";
  const lines = [
    `Rehearsal of ${plural(cases, "case")}${some}: nothing is sent, no tool is called, time is simulated.`,
    "A case counts as answered when its conversation came to its end; its assertions are not evaluated.",
  ];
  let provider: string | null = null;
  for (const outcome of outcomes) {
    if (outcome.provider !== provider) lines.push("", colors.bold(`If ${visibleLine(outcome.provider)} …`));
    ({ provider } = outcome);
    lines.push(...renderOutcome(outcome, view, colors).map((line, index) => (index === 0 ? line : visibleLine(line))));
  }
  return `${lines.join("\n")}\n`;
}

function renderOutcome(outcome: ChaosOutcome, { verbose }: DoctorView, colors: Colors): string[] {
  const { answered, errored, skipped, requests, retries, fallbacks, circuitOpened } = outcome;
  const mark = outcome.exitCode === 0 ? colors.green("✓") : colors.red("✗");
  const counts = [`${answered} answered`, `${errored} errored`];
  if (skipped > 0) counts.push(`${skipped} skipped`);
  const effort = [plural(requests, "request"), `${retries} of them retries`];
  if (fallbacks > 0) effort.push(`${fallbacks} by fallback`);
  if (circuitOpened > 0) effort.push(`circuit opened ${circuitOpened === 1 ? "once" : `${circuitOpened} times`}`);
  const lines = [
    `  ${mark} ${outcome.scenario}: it ${outcome.summary}`,
    `      exit code ${outcome.exitCode} · ${counts.join(", ")} · ${effort.join(", ")} · ${renderDuration(outcome.durationMs)}`,
  ];
  if (outcome.trippedGates.length > 0) lines.push(`      gates tripped: ${outcome.trippedGates.join(", ")}`);
  if (verbose) {
    const codes = Object.entries(outcome.errorsByCode).map(([code, count]) => `${count} ${code}`);
    if (codes.length > 0) lines.push(`      errors: ${codes.join(", ")}`);
    if (outcome.reasons.length > 0) lines.push(`      why it would fail: ${outcome.reasons.join("; ")}`);
  }
  return [...lines, ...outcome.advice.map((advice) => `      → ${advice}`)];
}
