import type { RunResult, SuiteResult, TestResult, TrialResult } from "../engine/run-result.js";
import { registering } from "../extensions/extension.js";
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
  /** Number of the trial that is shown of a case that failed. Default: the one that decided. */
  shownTrial?(test: TestResult): Promise<number>;
  /** What is said of errors. Default: the message of each. Core does not word errors. */
  errorTexts?: ErrorTexts;
  /** What `renderCase` gave while the run went on. */
  rendered?: Pick<ReadonlyMap<TestResult, string>, "get">;
}

/**
 * A case that passed with its only trial, as `render` writes it, with what stands between it and the case before. `render`
 * yields it unchanged where it has such a case before it, so that it can be masked ahead.
 */
export type RenderCase = (test: TestResult, trial: TrialResult, options: RenderOptions) => string;

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
  /** For a reporter whose `render` takes from `rendered` what it finds there. */
  loadRenderCase?(): Promise<RenderCase>;
}

/** Renders a finished run, as a whole or in pieces. */
export type RenderRun<Options extends RenderOptions = RenderOptions> = (
  result: RunResult,
  options: Options,
) => string | Promise<string> | Iterable<string> | AsyncIterable<string>;

/** What `defineReporter` takes. `load` gives the function that renders at its first use, in place of `render`. */
export type ReporterExtension<Options extends RenderOptions = RenderOptions> = {
  /** The value of `--reporter`: lower case letters, digits, `-` and `_`. */
  name: string;
  /** One line about what it writes. */
  summary?: string;
  /** Of the file it is usually written to, without the dot. Default: `txt`. */
  extension?: string;
  /** What it writes: `text`, `json`, or `markup` such as XML and HTML. Default: `text`. */
  format?: TextFormat;
} & ({ render: RenderRun<Options> } | { load(): Promise<RenderRun<Options>> });

/**
 * Declares a reporter. Export it from a module that `extensions:` of the config names, and use it as `--reporter name`,
 * or pass it to `renderToString`. As an extension it runs in the worker of your modules: it receives a frozen copy of
 * the result in which secrets are masked, `redact` returns its text unchanged, and there are no `errorTexts`.
 */
export function defineReporter<Options extends RenderOptions = RenderOptions>(
  extension: ReporterExtension<Options>,
): ReporterDefinition<Options> {
  const { name, summary = "", extension: ending = "txt", format = "text" } = extension;
  const definition: ReporterDefinition<Options> = {
    name,
    summary,
    extension: ending,
    format,
    async *render(result, options) {
      const render = "load" in extension ? await extension.load() : extension.render;
      const rendered = await render(result, options);
      if (typeof rendered === "string") yield rendered;
      else yield* rendered;
    },
  };
  return registering(definition, { family: "reporter", type: name, summary, extension: ending, format });
}

/** The lines about a suite that could not run, or about a case that ended with an error. */
export function errorLinesOf(
  one: Extract<SuiteResult, { status: "skipped" }> | Extract<TestResult, { status: "errored" }>,
  { errorTexts }: RenderOptions,
): readonly string[] {
  return errorTexts?.get(one) ?? [one.error.message];
}
