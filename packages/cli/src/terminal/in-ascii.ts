import type { CliEnvironment } from "../environment.js";

/** KindLM's signs and lines in ASCII. Text of others stays as it is. */
const forms: Readonly<Record<string, string>> = {
  "✓": "ok",
  "✗": "x",
  "–": "-",
  "▼": "v",
  "▲": "^",
  "├": "|",
  "└": "`",
  "│": "|",
  "─": "-",
  "…": "~",
  "·": "|",
  "−": "-",
  "→": ">",
  "—": "-",
  "⚠": "!",
};

const signs = new RegExp(`[${Object.keys(forms).join("")}]`, "g");

/** Text for a terminal that shows ASCII alone. A sign in front of two spaces takes one of them for itself. */
export function inAscii(text: string): string {
  return text.replaceAll(signs, (sign) => forms[sign] ?? sign);
}

/** Whether the user has chosen a locale that is not UTF-8. Without a choice, terminals and logs of today show UTF-8. */
export function isAsciiLocale({ env }: Pick<CliEnvironment, "env">): boolean {
  const locale = [env["LC_ALL"], env["LC_CTYPE"], env["LANG"]].find((value) => value !== undefined && value !== "");
  return locale !== undefined && !/utf-?8/i.test(locale);
}
