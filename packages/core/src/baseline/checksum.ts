import { hashText } from "../plan/identity/content-hash.js";
import { canonicalJson } from "../values/canonical-json.js";

/**
 * Of everything that a part of the file says, 16 hexadecimal digits; how it is laid out and the order of its keys do not
 * count. It detects accidents, such as half a merge; it does not protect against forgery.
 */
export function checksumOf(part: Readonly<Record<string, unknown>>): string {
  const { checksum: _itself, ...content } = part;
  return hashText(canonicalJson(content));
}
