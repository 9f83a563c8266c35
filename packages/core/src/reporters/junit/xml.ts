import { visible } from "../../values/visible.js";

/** What XML 1.0 allows in no form, beyond what `visible` writes out. */
const notXml = /[\ufffe\uffff]/g;

/** Untrusted text as XML character data: valid whatever it holds. */
export function xmlText(text: string): string {
  return visible(text)
    .replaceAll(notXml, (character) => `\\u${character.charCodeAt(0).toString(16)}`)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}

/** Attributes in their order; line feeds and tabs are kept from being normalised away. */
export function xmlAttributes(attributes: Readonly<Record<string, string | number>>): string {
  return Object.entries(attributes)
    .map(([name, value]) => {
      const escaped = xmlText(String(value))
        .replaceAll('"', "&quot;")
        .replaceAll("\n", "&#10;")
        .replaceAll("\t", "&#9;");
      return ` ${name}="${escaped}"`;
    })
    .join("");
}
