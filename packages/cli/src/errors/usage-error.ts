import type { ErrorExplanation } from "./error-messages.js";

/** The program was called wrongly. Thrown by commands and options, caught in one place: `main`. */
export class UsageError extends Error {
  readonly explanation: ErrorExplanation;

  constructor(title: string, fix?: string) {
    super(title);
    this.name = "UsageError";
    this.explanation = fix === undefined ? { title } : { title, fix };
  }
}
