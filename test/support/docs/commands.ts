import { arrangeWords } from "../../../packages/cli/src/arguments/arrange-words.js";
import { createProgram } from "../../../packages/cli/src/arguments/create-program.js";
import { commands } from "../../../packages/cli/src/commands/registry.js";
import type { Block } from "./pages.js";

/** A command as people type it, up to what a shell does with it. */
const command = /(?<![\w/@.-])(?:npx |pnpm )?kindlm(?= )((?: +(?:"[^"]*"|'[^']*'|[^\s"'|;&><#)`]+)+)+)/g;
const word = /(?:"[^"]*"|'[^']*'|[^\s"'])+/g;

export const wordsOf = (line: string): readonly (readonly string[])[] =>
  [...line.matchAll(command)]
    .map(([, words = ""]) => words.match(word) ?? [])
    .map((words) => words.map((quoted) => quoted.replaceAll(/^["']|["']$/g, "")));

/** The commands of KindLM that a block has the reader type, or a CI system: what follows `kindlm`. */
export function typedIn({ language, text, attributes }: Block): readonly (readonly string[])[] {
  const isOfCi = language === "yaml" && "of" in attributes;
  if (!isOfCi && !/^(?:sh|bash|console)$/.test(language)) return [];
  const lines = text.replaceAll(/\\\n\s*/g, " ").split("\n");
  const typed = language === "console" ? lines.filter((line) => line.startsWith("$ ")) : lines;
  return typed.filter((line) => !line.trimStart().startsWith("#")).flatMap(wordsOf);
}

/** The commands in inline code, as far as they are written out. */
export function mentionedIn(markdown: string): readonly (readonly string[])[] {
  const codes = [...markdown.matchAll(/`([^`\n]*)`/g)].map(([, code = ""]) => code.replaceAll("\\|", "|"));
  return codes.filter((code) => !/[…<[]/.test(code)).flatMap(wordsOf);
}

/** What KindLM says about a command before it calls it. Null if it takes it. */
export async function problemOf(words: readonly string[]): Promise<string | null> {
  const program = createProgram({ asTyped: (text) => text, width: 80, print: () => {}, call: async () => {} });
  try {
    await program.parseAsync([...arrangeWords(words, commands)], { from: "user" });
    return null;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return "exitCode" in error && error.exitCode === 0 ? null : error.message;
  }
}
