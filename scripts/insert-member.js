/**
 * The source of a registry with one more member: its import, in alphabetical order, and its entry at the end of the
 * list, laid out as the formatter would do it. The entry is the imported name unless the family needs more.
 */
export function insertMember(source, list, { name, from, entry = name }) {
  const withImport = insertImport(source, `import { ${name} } from "${from}";`, from);
  const pattern = new RegExp(`^((?:export )?const ${list}(?:: readonly [^=]+)? = )\\[([^]*?)\\]( as const)?;`, "m");
  const match = pattern.exec(withImport);
  if (match === null) throw new Error(`No list "${list}" in the registry`);
  const [whole, head, entries, mark = ""] = match;
  if (entries.startsWith("\n")) return withImport.replace(whole, () => `${head}[${entries}  ${entry},\n]${mark};`);
  const names = entries
    .split(",")
    .map((member) => member.trim())
    .filter((member) => member !== "");
  return withImport.replace(whole, renderList(head, [...names, entry], `]${mark};`));
}

function renderList(head, names, end) {
  const line = `${head}[${names.join(", ")}${end}`;
  return line.length <= 120 ? line : `${head}[\n${names.map((name) => `  ${name},\n`).join("")}${end}`;
}

function insertImport(source, line, from) {
  const lines = source.split("\n");
  const isImport = (text) => /^import .* from "/.test(text);
  const after = lines.findIndex((text) => isImport(text) && /from "([^"]*)"/.exec(text)[1] > from);
  const end = lines.findLastIndex(isImport) + 1;
  lines.splice(after === -1 ? end : after, 0, line);
  return lines.join("\n");
}
