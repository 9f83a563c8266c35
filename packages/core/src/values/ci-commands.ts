/** Colors and movements of the cursor, which CI systems look past. */
const controls = String.raw`\u001b\[[\d;?]*[A-Za-z]`;
const blank = String.raw`[^\S\r\n\u2028\u2029]`;

/**
 * What CI systems read from a log as commands to themselves, each by a string in it that is quick to find. The last
 * character of a match is the one without which it is not a command.
 */
const commands: readonly { sign: string; pattern: RegExp }[] = [
  // GitHub Actions and what is like it: `::error::…`, at the beginning of a line.
  { sign: "::", pattern: new RegExp(`^(?:${blank}|${controls})*:(?=:)`, "gm") },
  // Azure Pipelines, TeamCity and Octopus Deploy: `##[error]`, `##vso[…]`, `##teamcity[…]`, anywhere.
  { sign: "##", pattern: /##(?=[\w.-]{0,40}\[)/g },
  // GitLab: `section_start:<time>:<name>`, anywhere.
  { sign: "section_", pattern: /section_(?:start|end):/g },
  // Travis CI.
  { sign: "travis_", pattern: /travis_(?:fold|time):/g },
  // Buildkite: groups of lines, at the beginning of a line.
  ...["-", "+", "~", "^"].map((mark) => ({
    sign: mark.repeat(3),
    pattern: new RegExp(`^(?:${controls})*\\${mark}(?=\\${mark}\\${mark}${blank})`, "gm"),
  })),
];

/**
 * A string in which no CI system finds a command. The character that makes one is written out as `\u0023`, which
 * stays the same value within JSON.
 *
 * @param write - how a character is written out
 */
export function withoutCommands(text: string, write: (character: string) => string = writtenOut): string {
  let shown = text;
  for (const { sign, pattern } of commands) {
    if (shown.includes(sign))
      shown = shown.replaceAll(pattern, (match) => `${match.slice(0, -1)}${write(match.slice(-1))}`);
  }
  return shown;
}

/** A character as JSON and many languages escape it, such as `\u202e`, or `\u{e0041}` beyond four digits. */
export function writtenOut(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const digits = code.toString(16).padStart(4, "0");
  return digits.length > 4 ? `\\u{${digits}}` : `\\u${digits}`;
}
