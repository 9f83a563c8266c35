/** Where a key may begin: not within a word, but behind what is written out or sets a color, although it ends like one. */
const start = String.raw`(?:(?<![A-Za-z0-9])|(?<=\\(?:[bfnrt]|u[0-9A-Fa-f]{4}))|(?<=\u001b\[[\d;]{0,20}m))`;

/**
 * Strings that look like a key whoever issued it. Each pattern is anchored on its left side or bounded in length, so
 * that no text makes the search more than linear.
 */
const keyShapes = [
  // OpenAI, Anthropic and those who copied the prefix.
  `${start}sk-[A-Za-z0-9_-]{16,}`,
  // Google.
  `${start}AIza[A-Za-z0-9_-]{30,}`,
  // GitHub.
  `${start}gh[pousr]_[A-Za-z0-9]{20,}`,
  `${start}github_pat_[A-Za-z0-9_]{20,}`,
  // Slack.
  `${start}xox[a-z]-[A-Za-z0-9-]{10,}`,
  // Amazon.
  `${start}(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Z0-9])`,
  // The value of an authorization header; the scheme stays readable.
  "(?<=[Bb]earer {1,4})[A-Za-z0-9._~+/=-]{16,}",
  // JSON web tokens.
  String.raw`(?<![_-])${start}eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?`,
];

export const keyShapeSource = keyShapes.join("|");

/** What occurs in every string that has one of the shapes. Much quicker to look for. */
export const keyShapePrefixes = [
  "sk-",
  "AIza",
  "ghp_",
  "gho_",
  "ghu_",
  "ghs_",
  "ghr_",
  "github_pat_",
  "xox",
  "AKIA",
  "ASIA",
  "earer ",
  "eyJ",
] as const;
