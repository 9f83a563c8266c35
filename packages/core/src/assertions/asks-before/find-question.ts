/** The question marks of the world's scripts, the Greek one (which looks like a semicolon) by its own code. */
const questionMark = /[?？؟՞፧⁇⁈⁉︖\u037E]/u;

/** Addresses and code hold question marks that ask nothing. What ends a sentence is not part of an address. */
const notProse = /```[^]*?```|`[^`\n]*`|\b(?:https?:\/\/|www\.)\S*[^\s?!.,;:)\]}"'*_>]/gi;

/** The first sentence that ends in a question mark; null if there is none. */
export function findQuestion(text: string): string | null {
  const prose = text.replaceAll(notProse, (code) => "_".repeat(code.length));
  const end = prose.search(questionMark);
  if (end < 0) return null;
  const before = prose.slice(0, end);
  const start = Math.max(before.lastIndexOf("\n") + 1, endOfSentence(before));
  return text.slice(start, end + 1).trim();
}

function endOfSentence(text: string): number {
  return Math.max(...[". ", "! ", ": ", "。", "！"].map((mark) => text.lastIndexOf(mark) + 1));
}
