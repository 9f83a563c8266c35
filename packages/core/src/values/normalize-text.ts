import { unicodePattern } from "./unicode-pattern.js";

const longRun = unicodePattern(String.raw`\p{M}{31}`);
const cut = unicodePattern(String.raw`(?<=\p{M}{30})(?=\p{M})`);

/**
 * A normal form in linear time. Normalizing sorts a run of marks in quadratic time, so a run is cut after 30 marks, which
 * no language has (the limit of the stream-safe text format, UAX #15).
 */
export function normalizeText(text: string, form: "NFC" | "NFKC"): string {
  if (!longRun().test(text)) return text.normalize(form);
  return text
    .split(cut())
    .map((piece) => piece.normalize(form))
    .join("");
}
