import type { ComparedSuite } from "@kindlm/core";
import { plural, points } from "@kindlm/core/program";
import { effortWords } from "./effort-words.js";

type Growth = NonNullable<ComparedSuite["growth"]>[number];

/** What takes more than in the baseline, in one sentence; with `all` also what is within chance. Empty where nothing does. */
export function describeGrowth({ growth = [] }: ComparedSuite, all: boolean): readonly string[] {
  const grown = growth.filter(({ hasGrown }) => hasGrown);
  const others = growth.filter(({ hasGrown, cases }) => !hasGrown && cases > 0);
  return [
    ...(grown.length === 0 ? [] : [`Takes more: ${grown.map(sayGrowth).join(" · ")}`]),
    ...(all && others.length > 0 ? [`Within chance: ${others.map(sayGrowth).join(" · ")}`] : []),
  ];
}

/** Where the baseline cannot say what its cases took; null otherwise. */
export function describeUnsavedGrowth({ unsavedGrowth, cases }: ComparedSuite): string | null {
  if (unsavedGrowth === undefined) return null;
  const which = unsavedGrowth === cases ? "The baseline" : `The baseline of ${plural(unsavedGrowth, "case")}`;
  return `${which} does not say what trials took (saved by an earlier version of KindLM)`;
}

function sayGrowth({ name, ratio, interval, baseline, candidate, adjustedP }: Growth): string {
  const { name: word, render } = effortWords[name];
  const change = ratio === null ? "" : ` ${points(ratio - 1)}%`;
  const range = interval === null ? "" : ` (${interval.map((end) => `${points(end - 1)}%`).join(" to ")})`;
  const means = baseline === null || candidate === null ? "" : `, ${render(baseline)} → ${render(candidate)} per trial`;
  const chance = adjustedP === null ? "" : adjustedP < 0.001 ? ", p < 0.001" : `, p = ${adjustedP.toFixed(3)}`;
  return `${word}${change}${range}${means}${chance}`;
}
