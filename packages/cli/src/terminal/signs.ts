import { onOneLine, visible, writtenOut } from "@kindlm/core/program";

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

/** @param form How a character is written. */
const signsIn = (form: (character: string) => string): Signs => ({
  passed: form("✓"),
  failed: form("✗"),
  errored: "!",
  skipped: form("–"),
  flaky: "~",
  regressed: form("▼"),
  improved: form("▲"),
  dot: form("·"),
  ellipsis: form("…"),
  bar: [form("━"), form("╸"), form("─")],
});

/** The signs and lines above in ASCII. */
const forms: Readonly<Record<string, string>> = {
  "✓": "ok",
  "✗": "x",
  "–": "-",
  "▼": "v",
  "▲": "^",
  "├": "|",
  "└": "`",
  "│": "|",
  "━": "=",
  "╸": "-",
  "─": "-",
  "…": "~",
  "·": "|",
  "−": "-",
  "→": ">",
  "—": "-",
  "⚠": "!",
};

const drawn = new RegExp(`[${Object.keys(forms).join("")}]`, "g");

/** Text for a terminal that shows ASCII alone: KindLM's signs are replaced, text of others stays as it is. */
export function inAscii(text: string): string {
  return text.replaceAll(drawn, (sign) => forms[sign] ?? sign);
}

const controlSigns = /[\u2400-\u2421]/g;

/**
 * Untrusted text as a terminal may show it. One that shows ASCII alone gets control characters as `\u001b` instead of `␛`;
 * this is done before lines are laid out, since it is wider.
 */
export function shownText(text: string, isAscii: boolean): string {
  const shown = visible(text);
  if (!isAscii) return shown;
  return shown.replaceAll(controlSigns, (sign) => {
    const code = sign.charCodeAt(0) - 0x24_00;
    return writtenOut(String.fromCharCode(code === 0x21 ? 0x7f : code));
  });
}

/** As {@link shownText}, on one line. */
export function shownLine(text: string, isAscii: boolean): string {
  return onOneLine(shownText(text, isAscii));
}

type Locale = Readonly<Record<string, string | undefined>>;

/** Whether the user has chosen a locale that is not UTF-8. Without a choice, terminals and logs of today show UTF-8. */
export function isAsciiLocale({ LC_ALL = "", LC_CTYPE = "", LANG = "" }: Locale): boolean {
  const locale = [LC_ALL, LC_CTYPE, LANG].find((value) => value !== "") ?? "UTF-8";
  return !/utf-?8/i.test(locale);
}

/** Those that the locale can show. */
export function createSigns(env: Locale): Signs {
  return signsIn(isAsciiLocale(env) ? inAscii : (sign) => sign);
}
