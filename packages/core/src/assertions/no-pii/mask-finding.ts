import type { PiiFinding } from "./pii-finding.js";
import { unicodePattern } from "../../values/unicode-pattern.js";

const letterOrDigit = unicodePattern(String.raw`[\p{L}\p{N}]`, "gu");

/** Enough to find the place in the answer, and too little to be personal data itself. */
export function maskFinding({ kind, text }: PiiFinding): string {
  if (kind === "email") return `${text.charAt(0)}***@***${text.slice(text.lastIndexOf("."))}`;
  const shown = kind === "card" || kind === "iban" ? 4 : 2;
  const visibleFrom = text.length >= shown * 3 ? text.length - shown : text.length;
  return text.slice(0, visibleFrom).replaceAll(letterOrDigit(), "*") + text.slice(visibleFrom);
}
