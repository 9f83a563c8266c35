/** How models and servers write where a tool is from: `functions.lookup`, `default_api.lookup`. */
const origin = /^(?:(?:functions?|tools?|default_api)[.:])+/i;

/** Most names; nothing of them is left out. */
const isPlain = /^[\w-]*$/;

/**
 * A name as a reader takes it: without what cannot be seen, in the usual one of several forms of a character, without
 * blanks around it and without the words for where a tool is from.
 */
export function plainName(name: string): string {
  if (isPlain.test(name)) return name;
  return name
    .normalize("NFKC")
    .replaceAll(/[\p{Cf}\p{Cc}\p{Z}\p{Default_Ignorable_Code_Point}]/gu, "")
    .replace(origin, "");
}

/** The name of a tool in a namespace, such as `mcp__shop__pay`: other APIs know one name only. */
export function qualifiedName(namespace: unknown, name: string): string {
  return typeof namespace === "string" && namespace !== "" ? `${namespace}__${name}` : name;
}
