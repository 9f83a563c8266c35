import { mask } from "../shape/shape.js";
import { withoutCommands } from "../values/ci-commands.js";
import { passed, PreparedText, type RedactedText } from "./redacted-text.js";
import { createCutMasker, createSieve, secretForms, keyShapeSource } from "./secret-forms.js";

/** Everything that JSON is made of. Strings come first, so that nothing inside of one is taken for something else. */
const token =
  // eslint-disable-next-line no-control-regex -- JSON allows none of them in a string
  /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[\s{}[\],:]+|true|false|null/y;

/** A tag, a comment or an instruction; between them stands text. */
const tag = /<[^>]*>/g;
const attributeValue = /(?<==)"[^"]*"|(?<==)'[^']*'/g;
const entity = /&(?:(lt|gt|amp|quot|apos)|#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6}));/g;
const named: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

export { mask } from "../shape/shape.js";
export { redacted, type RedactedText } from "./redacted-text.js";

const isNumber = /^-?\d+(?:\.\d+)?$/;

/**
 * The kind of text, so masking leaves it readable for programs. `commands` is text that is meant for a CI system, which
 * finds no command to itself in any other.
 */
export const textFormats = ["text", "json", "markup", "commands"] as const;
export type TextFormat = (typeof textFormats)[number];

/** Replaces secrets in text. One redactor serves all sinks of a run. */
export interface Redactor {
  redact(text: string): RedactedText;
  /**
   * The same for JSON as `JSON.stringify` writes it: a document, whole lines of one, or lines that are each one. It is
   * still JSON afterwards: strings, keys among them, are masked by what they say, and a number that is a secret becomes
   * the text of the mask. What turns out to be no JSON is masked as text.
   */
  redactJson(text: string): RedactedText;
  /** The same for XML or HTML: names and the markup itself are left, attributes and text are masked. */
  redactMarkup(text: string): RedactedText;
  /**
   * Masks the text by its format, and writes out what a CI system would take for a command to itself. JSON and markup keep
   * their values. For streams and for files, which may be shown in a log.
   */
  toSink(text: string, format: TextFormat): RedactedText;
  /** Does the work of `toSink` before it is asked for this text, once. More secrets, or too much text, undo it. */
  prepare(text: string, format: TextFormat): void;
  /** Secrets that became known later, such as those of a `.env` file. */
  add(secrets: readonly string[]): void;
}

/**
 * Masks the given values (of six characters and more), also where they are JSON-escaped, URL-encoded or part of base64,
 * what is left of them at the end of a string that was cut (before or after `…`), and everything that has the shape of a
 * key. Takes time in proportion to the text. The text must be passed in whole: a secret that is spread over two calls is
 * not found.
 */
export function createRedactor(secrets: readonly string[]): Redactor {
  const waiting: string[] = [...secrets];
  const forms = new Set<string>();
  let known: Known | null = null;
  /** Nothing is compiled before the first text, and nothing twice when secrets come one after the other. */
  const current = (): Known => {
    const before = forms.size;
    for (const secret of waiting.splice(0))
      for (const form of secretForms(secret)) if (!mask.includes(form)) forms.add(form);
    if (known === null || forms.size !== before) known = prepare(forms);
    return known;
  };
  const maskText = (text: string): string => {
    const { mayHold, maskWhole, maskCut } = current();
    return maskCut(mayHold(text) ? maskWhole(text) : text);
  };
  const prepared = new PreparedText();
  const toSink = (text: string, format: TextFormat): RedactedText => {
    switch (format) {
      case "commands":
        return redactor.redact(text);
      case "text":
        return passed(withoutCommands(redactor.redact(text)));
      case "json":
        return passed(withoutCommands(redactor.redactJson(text)));
      case "markup":
        return passed(withoutCommands(redactor.redactMarkup(text), (mark) => `&#${mark.charCodeAt(0)};`));
    }
  };
  const redactor: Redactor = {
    toSink: (text, format) => prepared.take(text, format) ?? toSink(text, format),
    prepare: (text, format) => prepared.put(text, format, toSink(text, format)),
    add(more) {
      prepared.clear();
      waiting.push(...more);
    },
    redact: (text) => passed(maskText(text)),
    redactJson(text) {
      const { mayHoldEscaped, isSecretNumber } = current();
      if (!mayHoldEscaped(text)) return passed(text);
      return passed(redactJsonTokens(text, maskText, (number) => (isSecretNumber(number) ? mask : null)));
    },
    redactMarkup(text) {
      const { mayHold, maskCut } = current();
      // What is written as an entity is recognized only once it is read.
      const said = readEntities(text);
      return passed(mayHold(said) || maskCut(said) !== said ? redactMarkupRuns(text, maskText) : text);
    },
  };
  return redactor;
}

interface Known {
  maskWhole(text: string): string;
  maskCut(text: string): string;
  /** False only for text without any secret; much quicker than the pattern. */
  mayHold(text: string): boolean;
  /** The same for text in which everything is JSON-escaped again. */
  mayHoldEscaped(text: string): boolean;
  isSecretNumber(text: string): boolean;
}

function prepare(forms: ReadonlySet<string>): Known {
  const numbers = new Set([...forms].flatMap((form) => (isNumber.test(form) ? [form, `${Number(form)}`] : [])));
  let pattern: RegExp | null = null;
  let escaped: ((text: string) => boolean) | null = null;
  return {
    maskWhole(text) {
      pattern ??= compile(forms);
      return text.replaceAll(pattern, mask);
    },
    maskCut: createCutMasker(forms, mask),
    mayHold: createSieve(forms),
    mayHoldEscaped(text) {
      escaped ??= createEscapedSieve(forms, numbers);
      return escaped(text);
    },
    isSecretNumber: (text) => numbers.has(text) || (text.startsWith("-") && numbers.has(text.slice(1))),
  };
}

function createEscapedSieve(forms: ReadonlySet<string>, numbers: ReadonlySet<string>): (text: string) => boolean {
  const escaped = new Set([...numbers, ...[...forms].map((form) => JSON.stringify(form).slice(1, -1))]);
  const mayHold = createSieve(escaped);
  const maskCut = createCutMasker(escaped, mask);
  return (text) => mayHold(text) || maskCut(text) !== text;
}

/** Masks exactly the given strings, whatever their length. */
export function maskTexts(texts: readonly string[]): (text: string) => string {
  const wanted = new Set(texts.flatMap((text) => [text, JSON.stringify(text).slice(1, -1)]));
  wanted.delete("");
  if (wanted.size === 0) return (text) => text;
  const pattern = new RegExp(alternatives(wanted), "g");
  return (text) => text.replaceAll(pattern, mask);
}

/** Key shapes come last: a known value may be longer than the part of it that has the shape. */
function compile(forms: ReadonlySet<string>): RegExp {
  return new RegExp(forms.size === 0 ? keyShapeSource : `${alternatives(forms)}|${keyShapeSource}`, "g");
}

/** The longest first, because the first alternative that fits wins. */
function alternatives(texts: ReadonlySet<string>): string {
  return [...texts]
    .toSorted((a, b) => b.length - a.length)
    .map((text) => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`))
    .join("|");
}

/**
 * Masks the strings and numbers of JSON, so that it is JSON still.
 *
 * @param text - JSON, or whole lines of it; anything else is masked as the text that it is
 * @param maskNumber - what replaces a number, or null to keep it
 */
function redactJsonTokens(
  text: string,
  maskText: (text: string) => string,
  maskNumber: (number: string) => string | null,
): string {
  const pieces: string[] = [];
  token.lastIndex = 0;
  while (token.lastIndex < text.length) {
    const piece = token.exec(text)?.[0];
    if (piece === undefined) return maskText(text);
    pieces.push(maskToken(piece, maskText, maskNumber));
  }
  return pieces.join("");
}

function maskToken(
  piece: string,
  maskText: (text: string) => string,
  maskNumber: (number: string) => string | null,
): string {
  if (piece.startsWith('"')) {
    const said: unknown = JSON.parse(piece);
    const masked = maskText(String(said));
    return masked === said ? piece : JSON.stringify(masked);
  }
  if (!/^[-\d]/.test(piece)) return piece;
  const masked = maskNumber(piece);
  return masked === null ? piece : JSON.stringify(masked);
}

/**
 * Masks the attributes and text of XML or HTML, as they are read, and leaves everything else, so that it is as well
 * formed as before. In markup, `<` and `>` are written as entities everywhere but around tags.
 */
function redactMarkupRuns(text: string, maskText: (text: string) => string): string {
  const maskRun = (run: string): string => {
    const said = readEntities(run);
    const masked = maskText(said);
    return masked === said ? run : encode(masked);
  };
  const pieces: string[] = [];
  let end = 0;
  for (const { 0: found, index } of text.matchAll(tag)) {
    pieces.push(maskRun(text.slice(end, index)));
    pieces.push(
      found.replaceAll(attributeValue, (value) => `${value.charAt(0)}${maskRun(value.slice(1, -1))}${value.charAt(0)}`),
    );
    end = index + found.length;
  }
  pieces.push(maskRun(text.slice(end)));
  return pieces.join("");
}

/** The text with its entities read; meant for looking, not for writing. */
function readEntities(run: string): string {
  if (!run.includes("&")) return run;
  return run.replaceAll(entity, (written, name?: string, decimal?: string, hex?: string) => {
    if (name !== undefined) return named[name] ?? written;
    const point = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
    return point <= 0x10_ff_ff ? String.fromCodePoint(point) : written;
  });
}

function encode(run: string): string {
  return run.replaceAll(/[&<>"'\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}
