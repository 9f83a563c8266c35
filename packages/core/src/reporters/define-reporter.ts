import type { RunResult } from "../engine/run-result.js";

export interface RenderOptions {
  verbose: boolean;
  /** ANSI colours wanted. */
  color: boolean;
  /** Columns of the terminal. */
  width: number;
  /** Replaces secrets; every text of the outside world goes through it. */
  redact(text: string): string;
}

/** A member of the reporter family. It renders a finished run to text and does nothing else. */
export interface ReporterDefinition {
  name: string;
  summary: string;
  /** Of the file it is usually written to, without the dot. */
  extension: string;
  render(result: RunResult, options: RenderOptions): AsyncIterable<string>;
}

export function defineReporter(definition: ReporterDefinition): ReporterDefinition {
  return definition;
}
