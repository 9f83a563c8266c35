import { createCutMasker } from "./cut-secrets.js";
import { keyShapeSource } from "./key-shapes.js";
import { secretForms } from "./secret-forms.js";

export const mask = "[redacted]";

/** Replaces secrets in texts. One redactor serves all sinks of a run. */
export interface Redactor {
  redact(text: string): string;
  /** Secrets that became known later, such as those of a `.env` file. */
  add(secrets: readonly string[]): void;
}

/**
 * Masks the given values (of six characters and more), also where they are JSON-escaped, URL-encoded or part of base64,
 * what is left of them at the end of a text that was cut (before or after `…`), and everything that has the shape of a
 * key. One linear pass. A text must be handed in whole: a secret that is spread
 * over two calls is not found.
 */
export function createRedactor(secrets: readonly string[]): Redactor {
  const forms = new Set<string>();
  let pattern = compile(forms);
  let maskCut = createCutMasker(forms, mask);
  const add = (more: readonly string[]): void => {
    const before = forms.size;
    for (const secret of more) for (const form of secretForms(secret)) forms.add(form);
    if (forms.size === before) return;
    pattern = compile(forms);
    maskCut = createCutMasker(forms, mask);
  };
  add(secrets);
  return { add, redact: (text) => maskCut(text.replaceAll(pattern, mask)) };
}

/** Masks exactly the given texts, whatever their length. */
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
