import type { SourceNode } from "./source/source-node.js";

/** Something of a config of promptfoo that was not converted, or not with its whole meaning. */
export interface ImportFinding {
  file: string;
  line: number;
  message: string;
}

/** What a person has to look at after the import, in the order in which it was found. */
export class Findings {
  readonly #found: ImportFinding[] = [];

  /** Notes it, and gives the comment for its place in the written config. */
  add({ file, line }: Pick<SourceNode, "file" | "line">, message: string): string {
    if (!this.#found.some((one) => one.file === file && one.line === line && one.message === message)) {
      this.#found.push({ file, line, message });
    }
    return `TODO(import): ${message} (${file}:${line})`;
  }

  all(): readonly ImportFinding[] {
    return this.#found;
  }
}
