import type { Findings } from "./findings.js";
import type { SourceNode } from "./source/source-node.js";

/** Text with placeholders of KindLM, and comments on what Nunjucks would have done in addition. */
export interface ConvertedText {
  text: string;
  comments: readonly string[];
}

/** Names with a special meaning between the braces of KindLM. */
const reserved: ReadonlySet<string> = new Set([
  "args",
  "row",
  "state",
  "turn",
  "input",
  "session",
  "system",
  "workspace",
]);

/** The name of a variable in the written config. */
export function nameOfVariable(name: string): string {
  const plain = name.replaceAll(/\W/g, "_");
  return reserved.has(plain) ? `${plain}_text` : plain;
}

const expression = /\{\{-?\s*([^{}]*?)\s*-?\}\}/g;
const filtered = /^([A-Za-z_]\w*)\s*(?:\|.*|\[.*\]|\(.*\))$/;

/** Turns a template of Nunjucks into one of KindLM, which has names and nothing else. */
export function convertText(text: string, node: SourceNode, findings: Findings): ConvertedText {
  const comments: string[] = [];
  const note = (message: string): void => void comments.push(findings.add(node, message));
  if (/\{%[^]*?%\}/.test(text)) note("Nunjucks logic has no counterpart: write a test or a prompt for each case");
  const converted = text.replaceAll(expression, (written, inner: string) => {
    if (/^[A-Za-z_]\w*(?:\.\w+)*$/.test(inner) && !inner.startsWith("env.")) {
      const [first = "", ...rest] = inner.split(".");
      return `{{${[nameOfVariable(first), ...rest].join(".")}}}`;
    }
    const name = filtered.exec(inner)?.[1];
    if (name !== undefined && name !== "env") {
      note(`"${inner}" needs Nunjucks: put the finished value into vars`);
      return `{{${nameOfVariable(name)}}}`;
    }
    note(`"${inner}" is not a name: put its value into vars`);
    return `\\${written}`;
  });
  return { text: converted, comments };
}

/** The paths of all placeholders of a value, however deep they are. */
export function placeholdersIn(value: unknown): readonly string[] {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return [...text.matchAll(/(?<!\\)\{\{(\w+(?:\.\w+)*)/g)].flatMap(([, path]) => path ?? []);
}
