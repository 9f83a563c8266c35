import { normalizeText } from "../../values/normalize-text.js";
/**
 * A string as it is compared: composed characters (NFC), line feeds alone as line ends, and no space around it, none of
 * which a reader sees.
 */
export function plainText(text: string): string {
  return normalizeText(text.replaceAll(/\r\n?/g, "\n"), "NFC").trim();
}
