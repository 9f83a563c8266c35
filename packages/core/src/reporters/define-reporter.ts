import type { RunResult, SuiteResult, TestResult } from "../engine/run-result.js";
import type { TextFormat } from "../redaction/redactor.js";

/** The errors of suites and cases in words, one line per statement: what is wrong, then what to do. */
export type ErrorTexts = ReadonlyMap<SuiteResult | TestResult, readonly string[]>;

export interface RenderOptions {
  verbose: boolean;
  /** ANSI colors wanted. */
  color: boolean;
  /** Columns of the terminal. */
  width: number;
  /** Replaces secrets; every text of the outside world goes through it. */
  redact(text: string): string;
  /** What is said of errors. Default: the message of each. Core does not word errors. */
  errorTexts?: ErrorTexts;
}

/** A member of the reporter family. It renders a finished run to text and does nothing else. */
export interface ReporterDefinition<Options extends RenderOptions = RenderOptions> {
  name: string;
  summary: string;
  /** Of the file it is usually written to, without the dot. */
  extension: string;
  /** What it writes; masking must leave it readable for programs. */
  format: TextFormat;
  /** Yields whole lines, so that no secret is spread over two pieces. */
  render(result: RunResult, options: Options): AsyncIterable<string>;
}

/** `load` returns the function that renders; a run uses few reporters. */
export function defineReporter<Options extends RenderOptions = RenderOptions>({
  load,
  ...definition
}: Omit<ReporterDefinition<Options>, "render"> & {
  load(): Promise<ReporterDefinition<Options>["render"]>;
}): ReporterDefinition<Options> {
  return {
    ...definition,
    async *render(result, options) {
      const render = await load();
      yield* render(result, options);
    },
  };
}

/** The lines about a suite that could not run, or about a case that ended with an error. */
export function errorLinesOf(
  one: Extract<SuiteResult, { status: "skipped" }> | Extract<TestResult, { status: "errored" }>,
  { errorTexts }: RenderOptions,
): readonly string[] {
  return errorTexts?.get(one) ?? [one.error.message];
}
