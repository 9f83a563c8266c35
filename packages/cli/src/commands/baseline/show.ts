import { didYouMean, renderDuration, visibleLine, withCounts } from "@kindlm/core/program";
import { showBaseline, type BaselineEntry, type ShownBaseline } from "@kindlm/core/commands/baselines";
import { given } from "../given.js";
import { printAnswer, printError } from "../print-answer.js";
import { UsageError } from "../../errors/usage-error.js";
import type { InvocationOf } from "../command-definition.js";
import type { showCommand } from "./command.js";

export async function execute(invocation: InvocationOf<typeof showCommand>): Promise<number> {
  const { args, flags, global, environment } = invocation;
  const [suite = "", pattern] = args;
  const shown = await showBaseline({ paths: global.config, ...given({ root: flags.root }), suite }, environment.core);
  if (!shown.success) return printError(invocation, shown.error);
  const chosen = pattern === undefined ? shown.data : onlyCases(shown.data, pattern);
  return printAnswer(invocation, { data: chosen, text: render(chosen) });
}

/** The case of that id, else all whose ids hold the text. */
function onlyCases(shown: ShownBaseline, pattern: string): ShownBaseline {
  const exact = shown.cases.filter(({ caseId }) => caseId === pattern);
  const cases = exact.length > 0 ? exact : shown.cases.filter(({ caseId }) => caseId.includes(pattern));
  if (cases.length > 0) return { ...shown, cases };
  const ids = shown.cases.map(({ caseId }) => caseId);
  const fix = didYouMean(pattern, ids) ?? `Run: kindlm baseline show ${shown.header.suite}`;
  throw new UsageError(`No case of the baseline has "${pattern}" in its ID`, fix);
}

/** The header, then the cases with their results. */
function render({ file, header, cases }: ShownBaseline): string {
  const facts = [
    ["file", file],
    ["set", header.setAt],
    ["run", header.runId],
    ["commit", header.commit ?? "none"],
    ["kindlm", header.kindlm],
    ["note", header.note ?? ""],
  ] as const;
  return `${[
    `Baseline of ${visibleLine(header.suite)}`,
    ...facts.filter(([, text]) => text !== "").map(([name, text]) => `  ${name.padEnd(6)} ${visibleLine(text)}`),
    "",
    ...cases.flatMap(renderEntry),
  ].join("\n")}\n`;
}

function renderEntry(entry: BaselineEntry): readonly string[] {
  const { caseId, passes, trials, isPassed, calls, latencyMs, costUsd, servedBy, output } = entry;
  const measures = [
    renderDuration(latencyMs),
    costUsd === null ? "cost unknown" : `$${Number(costUsd.toFixed(6))}`,
    ...(servedBy === null ? [] : [servedBy]),
    ...(entry.deterministic === true ? ["deterministic"] : []),
  ];
  return [
    withCounts`${isPassed ? "✓" : "✗"} ${visibleLine(caseId)} ${passes}/${trials} (${measures.map(visibleLine).join(", ")})`,
    ...calls.map((call) => `    ${visibleLine(call)}`),
    ...(output === undefined ? [] : [`    answer: ${visibleLine(output)}`]),
  ];
}
