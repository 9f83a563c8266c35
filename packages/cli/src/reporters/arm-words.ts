import type { ArmChange, ArmComparison, ArmDifference } from "@kindlm/core";
import { percent, plural, points, renderCount, renderUsd, withCounts } from "@kindlm/core/program";
import { effortWords } from "./effort-words.js";

/** The figures of each arm, below a row of headings. Names are as they are. */
export function armRows({ arms }: ArmComparison): string[][] {
  return [
    ["", "mean rate (95% interval)", "passed", "errored", "cost"],
    ...arms.map(({ id, meanRate, passed, cases, errored, costUsd }) => [
      id,
      meanRate === null ? "–" : `${percent(meanRate.mean)} (${meanRate.interval.map(percent).join(" to ")})`,
      withCounts`${passed} of ${cases}`,
      renderCount(errored),
      costUsd === null ? "cost unknown" : renderUsd(costUsd),
    ]),
  ];
}

const verdicts = { better: "better", worse: "worse", no_difference_shown: "no difference shown" };

/** Such as `with-skill against without: better`. */
export function armVerdict({ from, to, verdict }: ArmDifference): string {
  return `${to} against ${from}: ${verdicts[verdict]}`;
}

/** The difference with its interval, how sure it is, and what could have been seen. `compared`: the differences of its suite. */
export function armFindings(one: ArmDifference, compared: number): string {
  const { mean, interval, adjustedP, cases, about } = one;
  const chance = adjustedP < 0.001 ? "p < 0.001" : `p = ${adjustedP.toFixed(3)}`;
  return [
    `${points(mean)} points (95% interval ${interval.map(points).join(" to ")})`,
    `${chance}${compared > 1 ? ` (adjusted for ${compared} comparisons)` : ""}`,
    about === "such_cases" ? plural(cases, "case") : `${plural(cases, "case")}, and of these alone`,
    ...(one.verdict === "no_difference_shown" ? [sayDetectable(one)] : []),
  ].join(" · ");
}

function sayDetectable({ detectable, cases }: ArmDifference): string {
  if (detectable === null)
    return `${plural(cases, "case")} could not have shown any difference: add rows, tests or runs`;
  return `${points(detectable).slice(1)} points would probably have been seen`;
}

/** What a trial takes in each of the two arms, without what is not known or equal to nothing. */
export function armCosts({ costUsd, tokens, turns, latencyMs }: ArmDifference): string {
  const told = [
    sayChange(effortWords.cost, costUsd),
    sayChange(effortWords.tokens, tokens),
    sayChange(effortWords.turns, turns),
    sayChange(effortWords.latency, latencyMs),
  ];
  return `per trial: ${told.filter((text) => text !== null).join(" · ")}`;
}

function sayChange({ name, render }: (typeof effortWords)["cost"], change: ArmChange | null): string | null {
  if (change === null || (change.from === 0 && change.to === 0)) return null;
  const { from, to, interval } = change;
  const signed = (value: number): string => `${value < 0 ? "−" : "+"}${render(Math.abs(value))}`;
  const range = interval === null ? "" : ` (${interval.map(signed).join(" to ")})`;
  return `${name} ${render(from)} → ${render(to)}${range}`;
}
