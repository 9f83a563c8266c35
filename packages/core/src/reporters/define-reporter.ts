import type { RunResult } from "../engine/run-result.js";
import type { DigestedDiagnostic, DigestOptions } from "../errors/digest-diagnostics.js";
import type { KindlmError } from "../errors/kindlm-error.js";
import type { TextFormat } from "../redaction/redactor.js";

/** An error in words for people. */
export interface ErrorExplanation {
  /** What is wrong, one line. */
  title: string;
  /** What to do, one line. */
  fix?: string;
  /** Where it stands, and whatever else was asked for; lines. */
  more?: readonly string[];
}

export interface RenderOptions {
  verbose: boolean;
  /** ANSI colors wanted. */
  color: boolean;
  /** Columns of the terminal. */
  width: number;
  /** Replaces secrets; every text of the outside world goes through it. */
  redact(text: string): string;
  /**
   * Puts an error into words, one entry per problem. Core does not word errors: without this, an error is its message.
   * `diagnostics` are the problems to tell; without them, those in its details.
   */
  explain?(error: KindlmError, diagnostics?: readonly DigestedDiagnostic[]): readonly ErrorExplanation[];
  /** How many problems of a config are shown. Default: equal ones once, and at most 20. */
  digest?: DigestOptions;
  /** How the run was started, for the command that runs again what did not pass; default `kindlm test`. */
  command?: string;
}

/** A member of the reporter family. It renders a finished run to text and does nothing else. */
export interface ReporterDefinition {
  name: string;
  summary: string;
  /** Of the file it is usually written to, without the dot. */
  extension: string;
  /** What it writes; masking must leave it readable for programs. */
  format: TextFormat;
  /** Yields whole lines, so that no secret is spread over two pieces. */
  render(result: RunResult, options: RenderOptions): AsyncIterable<string>;
}

/** `load` gives the function that renders; a run asks few reporters. */
export function defineReporter({
  load,
  ...definition
}: Omit<ReporterDefinition, "render"> & { load(): Promise<ReporterDefinition["render"]> }): ReporterDefinition {
  return {
    ...definition,
    async *render(result, options) {
      const render = await load();
      yield* render(result, options);
    },
  };
}
