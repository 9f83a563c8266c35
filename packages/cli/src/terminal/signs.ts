/** The characters that text for people is drawn with, beyond ASCII where the terminal can show more. */
export interface Signs {
  passed: string;
  failed: string;
  errored: string;
  skipped: string;
  flaky: string;
  regressed: string;
  improved: string;
  /** Between facts on one line. */
  dot: string;
  /** Where text is left out. */
  ellipsis: string;
  /** A bar: done, half a cell done, and left. */
  bar: readonly [done: string, half: string, left: string];
}

const unicode: Signs = {
  passed: "✓",
  failed: "✗",
  errored: "!",
  skipped: "–",
  flaky: "~",
  regressed: "▼",
  improved: "▲",
  dot: "·",
  ellipsis: "…",
  bar: ["━", "╸", "─"],
};

const ascii: Signs = {
  passed: "ok",
  failed: "x",
  errored: "!",
  skipped: "-",
  flaky: "~",
  regressed: "v",
  improved: "^",
  dot: "-",
  ellipsis: "...",
  bar: ["=", "-", "."],
};

/** Those that the locale can show. One that is not set says nothing, since containers set none and show UTF-8. */
export function createSigns({
  LC_ALL = "",
  LC_CTYPE = "",
  LANG = "",
}: Readonly<Record<string, string | undefined>>): Signs {
  const locale = [LC_ALL, LC_CTYPE, LANG].find((value) => value !== "") ?? "UTF-8";
  return /utf-?8/i.test(locale) ? unicode : ascii;
}
