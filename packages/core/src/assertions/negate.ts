import type { AssertionOutcome } from "./assertion-result.js";

/** First words that are spelled small within a sentence. */
const startsSentence = /^(?:The|All|Every|Each|None|No|Both|One|It|An|A|Neither|Expected|Nothing|At)\b/;

/** What `not: true` makes of an outcome. */
export function negate<Outcome extends AssertionOutcome>(outcome: Outcome): Outcome {
  const said = startsSentence.test(outcome.message)
    ? outcome.message.charAt(0).toLowerCase() + outcome.message.slice(1)
    : outcome.message;
  const message = outcome.pass ? `Expected the opposite, but ${said}` : `The opposite holds, as wanted: ${said}`;
  return { ...outcome, pass: !outcome.pass, score: 1 - outcome.score, message };
}
