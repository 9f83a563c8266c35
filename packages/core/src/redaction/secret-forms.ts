import { visible, visibleLine } from "../values/visible.js";

/** Shorter values would mask ordinary words. */
const shortestSecret = 6;
/** Less of a wrapped line could be anything. */
const shortestLine = 12;

/** Arguments of a call are JSON in JSON, and an event that quotes the error of an assertion on them holds that as JSON. */
const deepestJson = 4;

/**
 * Every form in which a secret can occur in text: as it is, JSON-escaped, with its control characters written out,
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
  forms.add(visible(secret)).add(visibleLine(secret));
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
