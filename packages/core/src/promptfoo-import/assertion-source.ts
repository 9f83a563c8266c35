import { convertText } from "./convert-text.js";
import type { CheckFile } from "./check-file.js";
import type { Findings } from "./findings.js";
import { numberOf, stringOf, type SourceNode } from "./source/source-node.js";

/** An assertion of KindLM, or why there is none. */
export type ConvertedAssertion = Readonly<Record<string, unknown>> | { readonly missing: string };

/** What a converter may read of an assertion of promptfoo. */
export class AssertionSource {
  readonly node: SourceNode;
  readonly value: SourceNode | null;
  readonly checks: CheckFile;
  /** Names of the variables of the test. */
  readonly variables: readonly string[];
  readonly comments: string[] = [];
  readonly #findings: Findings;

  constructor(node: SourceNode, world: { checks: CheckFile; findings: Findings; variables: readonly string[] }) {
    this.node = node;
    this.value = node.get("value");
    this.checks = world.checks;
    this.variables = world.variables;
    this.#findings = world.findings;
  }

  /** The value as text with placeholders of KindLM. */
  text(node = this.value): string {
    const written = stringOf(node) ?? (node === null || node.value === null ? "" : JSON.stringify(node.value));
    const { text, comments } = convertText(written, node ?? this.node, this.#findings);
    this.comments.push(...comments);
    return text;
  }

  /** The strings of a list, which promptfoo also takes as one string with commas. */
  texts(): readonly string[] {
    if (Array.isArray(this.value?.value)) return this.value.items().map((item) => this.text(item));
    return this.text()
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== "");
  }

  number(key: string): number | null {
    return numberOf(this.node.get(key));
  }

  todo(message: string): void {
    this.comments.push(this.#findings.add(this.node, message));
  }
}
