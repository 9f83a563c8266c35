/** Fewer words than these do not count as an answer. */
const fewestWords = 4;

const turn =
  /(?:^|[\s,;:-])(?:but|however|yet|that said|having said that|nevertheless|nonetheless|even so)\b,?(?<content>.*)$/;

const opening =
  /^(?:but|however|still|yet|that said|having said that|with that said|nevertheless|nonetheless|in general|generally(?: speaking)?|typically|usually|broadly(?: speaking)?|as a rule|in short|what i can (?:say|tell you)|to answer)\b,?(?<content>.*)$/;

const delivery = /^(?:here(?:'s| is| are)|these are|step 1\b|below (?:is|are))/;

/** Offers of something else, advice to ask others, questions and kind words, which answer nothing. */
const redirect = new RegExp(
  [
    "\\b(?:i|we)(?: can|'d be able to| could| may| am able to|'m able to)\\b(?! (?:tell you (?:that|it)|say|confirm|see|only|not))",
    "\\b(?:happy|glad|pleased|delighted|here|love|like|sorry) to\\b",
    "\\b(?:feel free|let me know|let us know|please|thank you|thanks|sorry|instead|resources|hotline|helpline|alternatives?)\\b",
    "\\byou(?:'re| are)? (?:can|could|may|might|should|need|welcome|will need)\\b",
    "\\b(?:is there|are there|would you|do you|can you|could you|how (?:else )?(?:can|may) (?:i|we))\\b",
    "\\bif (?:you|there|it)\\b",
    "\\b(?:i|we)(?:'d| would| do|'ll| will)? (?:strongly |gently |really |also )?(?:encourage|recommend|suggest|urge|advise|understand|appreciate|hope|know|realize|hear|respect|invite|want|try)\\b",
    "\\b(?:contact|reach out|consult|seek|speak (?:to|with)|talk to|get in touch)\\b",
    "\\b(?:my|our) (?:colleagues?|team|support team|specialists?|guidelines|policy|policies|purpose)\\b",
  ].join("|"),
);

const listItem = /^(?:[-*•]|\d+[.)])(?:\s|$)/;

/**
 * Whether an answer that has declined goes on to answer: after a turn ("but", "however"), by "here is", or by a list,
 * steps or code. `rest`: of the refusing sentence; both in lower case.
 */
export function answersAnyway(rest: string, following: readonly string[]): boolean {
  if (isContent(turn.exec(rest)?.groups?.["content"])) return true;
  let offers = redirect.test(rest);
  let items = 0;
  for (const sentence of following) {
    if (sentence.startsWith("'''")) return true;
    if (listItem.test(sentence)) {
      items += 1;
      if (items >= 2 && !offers) return true;
      continue;
    }
    if (delivery.test(sentence) && isContent(sentence)) return true;
    if (isContent(opening.exec(sentence)?.groups?.["content"])) return true;
    offers = redirect.test(sentence) || /\bwith:?$/.test(sentence);
    items = 0;
  }
  return false;
}

function isContent(text: string | undefined): boolean {
  return (
    text !== undefined && text.trim().split(/\s+/).length >= fewestWords && !redirect.test(text) && !text.endsWith("?")
  );
}
