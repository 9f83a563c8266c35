/**
 * Strings that look like a key whoever issued it. Each pattern is anchored on its left side or bounded in length, so
 * that no text makes the search more than linear.
 */
const keyShapes = [
  // OpenAI, Anthropic and those who copied the prefix.
  /(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{16,}/,
  // Google.
  /(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{30,}/,
  // GitHub.
  /(?<![A-Za-z0-9])gh[pousr]_[A-Za-z0-9]{20,}/,
  /(?<![A-Za-z0-9])github_pat_[A-Za-z0-9_]{20,}/,
  // Slack.
  /(?<![A-Za-z0-9])xox[a-z]-[A-Za-z0-9-]{10,}/,
  // Amazon.
  /(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Z0-9])/,
  // The value of an authorization header; the scheme stays readable.
  /(?<=[Bb]earer {1,4})[A-Za-z0-9._~+/=-]{16,}/,
  // JSON web tokens.
  /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?/,
];

export const keyShapeSource = keyShapes.map((shape) => shape.source).join("|");

/** What stands in every text that has one of the shapes. Much quicker to look for. */
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
