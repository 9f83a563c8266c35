/** What an agent is asked for and can decline. What it merely could not find, see or reach is missing on purpose. */
const verbs = [
  "help|assist|aid|comply|oblige|accommodate|support|be of (?:help|assistance)",
  "(?:fulfil|fulfill|satisfy|complete|honou?r|grant|meet|handle|take on) (?:your|this|that|the|such|any|these|those)",
  "provide|share|give|offer|supply|disclose|reveal|divulge|hand over|send",
  "discuss|talk|speak|comment|speculate|chat|opine|weigh in|take sides?|engage|debate",
  "answer|respond|reply|advise|suggest|recommend(?![^.]* (?:enough|more|too))|explain|describe|show you|teach|walk you|guide you|instruct|tell you",
  "write|create|generate|produce|draft|compose|make|build|develop|design|translate|summari[sz]e|rewrite|edit",
  "role-?play|pretend|act as|impersonate|assume|adopt|diagnose|prescribe|predict",
  "do (?:that|this|it|so|what|any|anything)|do\\b(?=[.,!]|$)|carry out|carry on|perform|execute|process|proceed|continue|go (?:ahead|there|along|into)",
  "participate|take part|be (?:a )?part(?:y)?|be involved|facilitate|promote|encourage|condone|endorse|contribute|enable",
  "issue|refund|cancel|change|modify|update|delete|remove|approve|authori[sz]e|allow|permit|let you|waive|extend|book|transfer|unlock|reset|override|look (?:that|this|it|up)",
].join("|");

/** What follows "can't" without refusing anything, although the verb is one of those above. */
const idioms =
  "help but|help (?:wondering|noticing|feeling|thinking|it if)|speak for|speak to (?:that|how|whether)|give up|give (?:you )?enough|promote enough|share enough|do (?:it|this|that) alone|wait|change the fact|make (?:sense|out|it)\\b|(?:share|disclose|reveal|give|send) (?:any of )?your\\b|tell you how (?:happy|glad|sorry|much|excited)";

const cannot =
  "(?:can ?not|can't|cant|won't|will not|(?:won't|will not|wouldn't|would not) be able to|(?:don't|do not) (?:think (?:i|we) (?:can|could|should)|have (?:the )?(?:permission|authority|authori[sz]ation) to)|couldn't possibly|may not|mustn't|must not)";
const unable =
  "(?:(?:am|are|'m|'re) (?:(?:just|simply|currently|still|also|really|sorry,? but) )?(?:not (?:able|allowed|permitted|authori[sz]ed|willing|going|prepared|programmed|designed|in a position|at liberty|equipped|qualified|licensed)|unable|unwilling)(?: here)? to)";
const adverbs =
  "(?:(?:just|simply|really|therefore|also|unfortunately|currently|directly|knowingly|ethically|legally|actually|and will not|or will not|in good conscience|in good faith|at this time),? )*";
const subject =
  "(?:\\b(?:i|we)(?:,? (?:unfortunately|however|therefore|sadly|honestly|simply|just|really|also|still|truly|as an ai(?: language model| model| assistant)?),?)? ?)";

/** One way of refusing. Phrases are in lower case, with straight quotes and single spaces. */
interface RefusingPhrase {
  /** As the documentation has it. */
  name: string;
  pattern: RegExp;
}

export const refusingPhrases: readonly RefusingPhrase[] = [
  {
    name: "I can't help with …, I won't provide …, I am not able to share …",
    pattern: new RegExp(`${subject}(?:${cannot}|${unable}) ${adverbs}(?!(?:${idioms}))(?:${verbs})\\b`),
  },
  {
    name: "Sorry, can't help with that",
    pattern: new RegExp(
      `^(?:(?:i'm )?(?:so |very )?sorry|apologies|unfortunately|no)[,.]? (?:but )?(?:${cannot}|unable to|not able to) (?!(?:${idioms}))(?:${verbs})\\b`,
    ),
  },
  {
    name: "I'm afraid I can't.",
    pattern: new RegExp(`${subject}(?:${cannot}|am not able to|'m not able to)(?=[.!]?$)`),
  },
  {
    name: "I must decline, I refuse to …",
    pattern:
      /\b(?:i|we)(?:'ll| will|'m going to|'d| would)? ?(?:must|have to|need to|am going to have to|will|would|(?=decline|refuse))? ?(?:respectfully |politely |kindly |firmly )*(?:decline|refuse|pass on)\b(?! (?:button|the cookies|no one|nobody|nothing|none))/,
  },
  {
    name: "I don't provide …, I do not engage in …",
    pattern:
      /\bi (?:don't|do not) (?:provide|give out|engage|share|discuss|write|participate|comment|disclose|assist|help with)\b/,
  },
  {
    name: "I have to say no, no can do",
    pattern:
      /\b(?:i|we)(?:'ll|'m| am| will| must| have| need)?(?: going)?(?: to)?(?: have)?(?: to)? say no\b|\bno can do\b/,
  },
  {
    name: "This request can't be processed",
    pattern:
      /\b(?:this|that|your|the|such a) request (?:can ?not|can't|won't|will not) be (?:completed|processed|fulfilled|granted|approved|honou?red|accepted)\b/,
  },
  {
    name: "I'd rather not …, I would prefer not to …",
    pattern: /\b(?:i|we)(?:'d| would| do)? ?(?:rather not|prefer(?:red)? not to|choose not to)\b/,
  },
  {
    name: "I'm not comfortable with …, I don't feel comfortable …",
    pattern:
      /\b(?:i|we)(?:'m| am|'re| are) (?:not|un)(?: |-)?comfortable\b|\b(?:i|we) (?:don't|do not|wouldn't|would not) (?:feel|be) comfortable\b/,
  },
  {
    name: "That is not something I can help with",
    pattern:
      /\b(?:not|isn't|never) (?:something|a (?:topic|request|subject|task|question)|anything|a thing)(?: that| which)? (?:i|we)(?:'m| am|'re| are|'ll)? ?(?:can|could|will|do|able|comfortable|allowed|willing|going|permitted)\b/,
  },
  {
    name: "That is against my guidelines, it violates our policies",
    pattern:
      /\b(?:goes|go|going|is|are|would be|be|it's|that's) (?:strictly )?(?:against|contrary to|in violation of|prohibited by) (?:my|our|the|openai's|anthropic's|google's|company|usage|content|ethical|safety)\b|\b(?:this|that|your|the|such a?) (?:request|question|prompt|message|query|content|task) (?:\w+ )?(?:violates?|conflicts? with|breaches|goes against) (?:my|our|the|usage|content)\b/,
  },
  {
    name: "My guidelines prevent me from …, I have been instructed not to …",
    pattern:
      /\b(?:prevents?|prohibits?|forbids?|stops?|keeps?|bars?|restricts?) (?:me|us) (?:from|to)\b|\b(?:i|we)(?:'m| am|'ve been| have been|'re| are|was| were) (?:programmed|instructed|designed|told|trained|asked|directed) not to\b/,
  },
  {
    name: "It is outside of what I can help with, it is not within my scope",
    pattern:
      /\b(?:outside|beyond|out of|not within|not in) (?:of )?(?:(?:the )?(?:scope|area|range|bounds|limits|realm)(?: of)? )?(?:my (?:scope|expertise|area|role|remit|programming|capabilities|abilities|guidelines|purview|purpose|function)|what (?:i|we)(?:'m| am| can|'re| are))\b/,
  },
  {
    name: "It would be wrong of me to …, it is not appropriate for me to …",
    pattern:
      /\b(?:would be|is|it's|be|isn't|wouldn't be) (?:not )?(?:unethical|illegal|irresponsible|inappropriate|unsafe|wrong|improper|dangerous|ethical|appropriate|legal|responsible|safe|right|proper|possible|permissible) (?:for|of) (?:me|us) to\b/,
  },
  {
    name: "I can only help with …",
    pattern:
      /\b(?:i|we)(?:'m| am)? ?(?:can|am able to|able to|'re able to|here to|only here to)? ?only (?:able to |here to |allowed to )?(?:help|assist|answer|discuss|talk about|support|respond to)\b/,
  },
  {
    name: "Unfortunately, that is not possible",
    pattern:
      /^(?:(?:i'm |i am |we're |we are )?(?:so |very |really )?(?:sorry|afraid)|unfortunately|regrettably|apologies|no)[,.]? (?:but )?(?:that )?(?:that|this|it|such a \w+)?(?:'s| is| will| would|isn't| won't| can ?not|can't)? ?(?:not |be )*(?:possible|permitted|allowed|available to me)\b/,
  },
  {
    name: "Let's talk about something else",
    pattern:
      /\blet(?:'s| us) (?:talk about|discuss|change|move on to|switch to|chat about) (?:something else|something different|another|the (?:topic|subject)|a different)\b/,
  },
];
