import type { ErrorExplanation } from "@kindlm/core";

/** The program was called wrongly. Thrown by commands and options, caught in one place: `main`. */
export class UsageError extends Error {
  readonly explanation: ErrorExplanation;

  constructor(title: string, fix?: string) {
    super(title);
    this.name = "UsageError";
    this.explanation = fix === undefined ? { title } : { title, fix };
  }
}

/** Commander's words, such as `error: unknown option '--rnus'\n(Did you mean --runs?)`, in the form of our errors. */
export function explainCommanderMessage(message: string, help: string): UsageError {
  const [first = "", suggestion] = message.replace(/^error: /, "").split("\n");
  const title = first.charAt(0).toUpperCase() + first.slice(1).replaceAll("'", '"');
  return new UsageError(title.replace(/\.$/, ""), suggestion?.replace(/^\((.*)\)$/, "$1") ?? `See: ${help}`);
}
