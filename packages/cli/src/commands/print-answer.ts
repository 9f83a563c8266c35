import type { KindlmError } from "@kindlm/core";
import type { Invocation } from "./command-definition.js";
import { errorViewOf } from "../errors/error-view.js";
import { explainError } from "../errors/explain-error.js";
import { renderError } from "../errors/render-error.js";
import { inAscii, isAsciiLocale } from "../terminal/signs.js";

interface Answer {
  data: unknown;
  text: string;
  /** What it is called where it cannot be written. */
  name?: "output" | "report";
}

/** Prints what a command has found out, with `--json` as data. Gives the exit code, which is 1 if it cannot be written. */
export async function printAnswer(
  { flags, environment }: Invocation,
  { data, text, name = "output" }: Answer,
  exitCode: 0 | 1 = 0,
): Promise<0 | 1> {
  const isJson = flags["json"] === true;
  const shown = isAsciiLocale(environment.env) ? inAscii(text) : text;
  const problem = await environment.stdout.write(isJson ? toJson(data) : shown, isJson ? "json" : "text");
  if (problem === null) return exitCode;
  await environment.stderr.write(`✗ Cannot write the ${name}: ${problem}\n`);
  return 1;
}

/**
 * Prints why a command could not do its work, and gives its exit code.
 *
 * @param configs - the files and folders that the command reads
 * @param data - printed on stdout as JSON, together with the error; null for nothing
 */
export async function printError(
  invocation: Invocation,
  error: KindlmError,
  configs: readonly string[] = invocation.global.config,
  data: object | null = null,
): Promise<1> {
  const { stdout, stderr, asTyped } = invocation.environment;
  await stderr.write(renderError(error, errorViewOf(invocation, configs)));
  if (data !== null) {
    const { code, message } = error;
    const problems = explainError(error, false).map((one) =>
      one.fix === undefined ? one : { ...one, fix: asTyped(one.fix) },
    );
    await stdout.write(toJson({ ...data, error: { code, message, problems } }), "json");
  }
  return 1;
}

export function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
