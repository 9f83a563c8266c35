import type { PiiFinding } from "./pii-finding.js";
import { unicodePattern } from "../../values/unicode-pattern.js";

const localPart = unicodePattern(String.raw`^[\p{L}\p{N}._%+'-]$`);
const domainPart = unicodePattern(String.raw`^[\p{L}\p{N}.-]$`);
const domain = unicodePattern(
  String.raw`^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+(?:\p{L}{2,63}|xn--[a-z0-9-]{2,59})$`,
);
const longestLocal = 64;
const longestDomain = 253;

/**
 * E-mail addresses. `lodash@1.2.3-beta.rc` is a version and `git@host:path` a repository, so they are none. Walks out
 * from each @, so that the time is linear in the length of the text.
 */
export function findEmails(text: string): PiiFinding[] {
  const found: PiiFinding[] = [];
  for (let at = text.indexOf("@"); at !== -1; at = text.indexOf("@", at + 1)) {
    let start = at;
    while (start > 0 && at - start < longestLocal && localPart().test(text.charAt(start - 1))) start -= 1;
    while (start < at && /[.'%-]/.test(text.charAt(start))) start += 1;
    let end = at + 1;
    while (end < text.length && end - at <= longestDomain && domainPart().test(text.charAt(end))) end += 1;
    while (end > at && /[.-]/.test(text.charAt(end - 1))) end -= 1;

    const host = text.slice(at + 1, end);
    const isVersion = /^\d+\.\d+\.\d/.test(host);
    const isRepository = /^git$/i.test(text.slice(start, at)) && /^[:/]\S/.test(text.slice(end, end + 2));
    if (start < at && domain().test(host) && !isVersion && !isRepository) {
      found.push({ kind: "email", text: text.slice(start, end), index: start });
    }
  }
  return found;
}
