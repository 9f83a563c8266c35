import { writtenOut } from "../values/ci-commands.js";
import { onOneLine, visible, visibleLine, withoutHidden, withSigns } from "../values/visible.js";

/** Shorter values would mask ordinary words. */
const shortestSecret = 6;
/** Less of a wrapped line could be anything. */
const shortestLine = 12;

/** Arguments of a call are JSON in JSON, and an event that quotes the error of an assertion on them holds that as JSON. */
const deepestJson = 4;

/** The mark where a string was cut, everywhere in KindLM. */
const cutMark = "…";
/** Less of a secret than this reveals nothing, and ordinary words begin like that. */
const shortestPiece = 6;
/** Less of a form would be found where there is nothing to mask. */
const shortestLookedFor = 8;

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
  // A results server of KindLM.
  `${start}klm_[A-Za-z0-9_-]{32,}`,
  // Amazon.
  `${start}(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Z0-9])`,
  // The value of an authorization header; the scheme stays readable.
  "(?<=[Bb]earer {1,4})[A-Za-z0-9._~+/=-]{16,}",
  // JSON web tokens.
  String.raw`(?<![_-])${start}eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?`,
];

export const keyShapeSource = keyShapes.join("|");

/** What occurs in every string that has one of the shapes. Much quicker to look for. */
const keyShapePrefix = /sk-|klm_|AIza|gh[pousr]_|github_pat_|xox|A[KS]IA|earer |eyJ/;

/**
 * Every form in which a secret can occur in text: as it is, JSON-escaped, with its control characters shown,
 * URL-encoded, as numbers of its bytes, and inside of base64, twice encoded and wrapped too. The lines
 * of one that has several, such as a private key, are separate secrets, since text is printed line by line.
 */
export function secretForms(secret: string): readonly string[] {
  const lines = secret.split(/[\r\n]+/).map((line) => line.trim());
  return lines.length === 1 ? formsOf(secret) : [secret, ...lines].flatMap(formsOf);
}

function formsOf(secret: string): readonly string[] {
  if (secret.length < shortestSecret) return [];
  // Node shows objects in single quotes, or leaves both kinds as they are.
  const shown = secret.split('"').map(jsonEscaped).join('"');
  const forms = new Set([secret, shown, shown.replaceAll("'", String.raw`\'`)]);
  let escaped = secret;
  for (let depth = 0; depth < deepestJson; depth += 1) {
    escaped = jsonEscaped(escaped);
    forms.add(escaped);
  }
  const quoted = jsonEscaped(withSigns(secret));
  forms.add(visible(secret)).add(visibleLine(secret)).add(quoted).add(visible(quoted));
  const ascii = withoutHidden(secret, writtenOut);
  forms.add(ascii).add(onOneLine(ascii));
  // Encoders refuse lone surrogates, so none can occur in an encoded form.
  const wellFormed = Buffer.from(secret).toString();
  const url = encodeURIComponent(wellFormed);
  for (const form of [url, strictlyEncoded(url)]) {
    forms.add(form);
    forms.add(form.replaceAll("%20", "+"));
    forms.add(form.replaceAll(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase()));
  }
  for (const form of base64Forms(wellFormed)) {
    for (const inner of [form, ...base64Forms(form), ...wrapped(form)]) {
      forms.add(inner);
      forms.add(inner.replaceAll("+", "-").replaceAll("/", "_"));
      forms.add(inner.replaceAll("/", "\\/"));
    }
  }
  for (const form of byteForms(wellFormed)) forms.add(form).add(form.toLowerCase());
  return [...forms];
}

/** Every byte by its number: as hexadecimal digits, and as encoders write it that escape all there is. */
function byteForms(secret: string): readonly string[] {
  const hex = Buffer.from(secret).toString("hex").toUpperCase();
  return [hex, hex.replaceAll(/../g, "%$&")];
}

/** Mail and many tools wrap base64 at a fixed width, and text is printed line by line. */
const wrapWidths = [64, 76];

function wrapped(base64: string): readonly string[] {
  return wrapWidths.flatMap((width) => {
    if (base64.length <= width) return [];
    const lines = base64.match(new RegExp(`.{1,${width}}`, "g")) ?? [];
    return lines.filter((line) => line.length >= shortestLine);
  });
}

function jsonEscaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Some encoders escape more than `encodeURIComponent` does. */
function strictlyEncoded(url: string): string {
  return url.replaceAll(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

/**
 * In base64 a string looks different at each of three offsets, as in the `user:secret` of basic authentication. The
 * characters that it shares with its neighbors are left out.
 */
function base64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const aligned = [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
    const whole = Math.floor(((offset + bytes.length) * 8) / 6);
    return encoded.slice(offset === 0 ? 0 : offset + 1, whole);
  });
  return [bytes.toString("base64"), ...aligned.filter((form) => form.length >= shortestSecret)];
}

/**
 * Masks what is left of a secret that was cut with its text: its beginning before a cut mark, its end after one. Works
 * on one string after the other; the pieces are only listed once a string has a mark.
 */
export function createCutMasker(forms: ReadonlySet<string>, mask: string): (text: string) => string {
  let pieces: { starts: ReadonlySet<string>; ends: ReadonlySet<string>; longest: number } | null = null;
  return (text) => {
    if (!text.includes(cutMark)) return text;
    pieces ??= listPieces(forms);
    const parts = text.split(cutMark);
    return parts.map((part, index) => maskPart(part, index > 0, index < parts.length - 1)).join(cutMark);
  };

  function maskPart(part: string, followsMark: boolean, precedesMark: boolean): string {
    const { starts, ends, longest } = pieces ?? listPieces(forms);
    let kept = part;
    if (precedesMark) {
      const length = longestOf(kept.length, longest, (size) => starts.has(kept.slice(-size)));
      if (length > 0) kept = kept.slice(0, -length) + mask;
    }
    if (followsMark) {
      const length = longestOf(kept.length, longest, (size) => ends.has(kept.slice(0, size)));
      if (length > 0) kept = mask + kept.slice(length);
    }
    return kept;
  }
}

function longestOf(available: number, longest: number, isPiece: (size: number) => boolean): number {
  for (let size = Math.min(available, longest); size >= shortestPiece; size -= 1) if (isPiece(size)) return size;
  return 0;
}

function listPieces(forms: ReadonlySet<string>): {
  starts: ReadonlySet<string>;
  ends: ReadonlySet<string>;
  longest: number;
} {
  const starts = new Set<string>();
  const ends = new Set<string>();
  let longest = 0;
  for (const form of forms) {
    longest = Math.max(longest, form.length - 1);
    for (let size = shortestPiece; size < form.length; size += 1) {
      starts.add(form.slice(0, size));
      ends.add(form.slice(-size));
    }
  }
  return { starts, ends, longest };
}

/** Looks for pieces one of which is in every text that has something to mask. */
export function createSieve(forms: ReadonlySet<string>): (text: string) => boolean {
  const shortestFirst = [...forms].toSorted((a, b) => a.length - b.length);
  const needles: string[] = [];
  for (const form of shortestFirst)
    if (!keyShapePrefix.test(form) && !needles.some((needle) => form.includes(needle))) needles.push(form);
  const pieces = needles.map(fromRareCharacter);
  return (text) => keyShapePrefix.test(text) || pieces.some((piece) => text.includes(piece));
}

/** V8 looks for the first character, and compares where it finds it: a rare one is found in a fraction of the time. */
function fromRareCharacter(needle: string): string {
  const at = needle.slice(0, -shortestLookedFor).search(/[A-Zjqxz%]/);
  return needle.slice(Math.max(0, at));
}
