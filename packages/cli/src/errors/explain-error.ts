import {
  categoryOf,
  errorNumber,
  type Diagnostic,
  type ErrorCode,
  type KindlmError,
  type KindlmErrorOf,
} from "@kindlm/core";
import { diagnosticsOf } from "@kindlm/core/program";
import { describeRepeats, describeTally } from "./describe-digest.js";
import { digestDiagnostics, type DigestedDiagnostic, type DigestOptions } from "./digest-diagnostics.js";
import { errorMessages, type ErrorExplanation } from "./error-messages.js";

/** An error in words: one entry per diagnostic that it carries, else one for itself. */
export function explainError(
  error: KindlmError,
  verbose: boolean,
  diagnostics: readonly DigestedDiagnostic[] = diagnosticsOf(error),
): readonly ErrorExplanation[] {
  const problems = diagnostics.length > 0 ? diagnostics : diagnosticsOf(error);
  const errors = problems.filter((problem) => problem.severity === "error");
  if (errors.length === 0) return [{ ...wordsFor(error), ...(verbose ? { more: verboseDetails(error) } : {}) }];
  const explanations = errors.map(explainDiagnostic);
  const last = explanations.at(-1);
  if (verbose && last !== undefined) last.more = [...(last.more ?? []), ...verboseDetails(error)];
  return explanations;
}

/**
 * As {@link explainError}, with equal problems once and at most 20 of them; the last entry then counts them all.
 *
 * @param diagnostics - problems that belong to the error and are not in its details
 */
export function explainDigested(
  error: KindlmError,
  { verbose, digest }: { verbose: boolean; digest?: DigestOptions },
  diagnostics: readonly Diagnostic[] = [],
): readonly ErrorExplanation[] {
  const problems = diagnostics.length > 0 ? diagnostics : diagnosticsOf(error);
  const { shown, tally } = digestDiagnostics(
    problems.filter(({ severity }) => severity === "error"),
    digest,
  );
  const explanations = explainError(error, verbose, shown);
  return tally === null ? explanations : [...explanations, describeTally(tally, digest)];
}

/** A problem of a config: what is wrong and where, what to do, the place with its lines. */
export function explainDiagnostic(diagnostic: DigestedDiagnostic): ErrorExplanation {
  const { position, path, message, code } = diagnostic;
  // The specification's own examples: only what is wrong within the YAML is a "Config error" with its line.
  const isWithinConfig =
    diagnostic.severity === "error" && (code === "CONFIG_PARSE_ERROR" || code === "CONFIG_VALIDATION_ERROR");
  const line = isWithinConfig && position !== undefined ? ` at line ${position.line}` : "";
  const explanation: ErrorExplanation = { title: `${isWithinConfig ? "Config error: " : ""}${message}${line}` };
  const reference = diagnostic.referencedIn === undefined ? undefined : `Referenced in ${diagnostic.referencedIn}`;
  const fix = diagnostic.hint ?? reference;
  if (fix !== undefined) explanation.fix = fix;
  const more = diagnostic.hint !== undefined && reference !== undefined ? [reference] : [];
  const at = path === undefined ? "" : ` · ${path}`;
  const place = position === undefined ? [] : [`${position.file}:${position.line}:${position.column}${at}`];
  const repeats = describeRepeats(diagnostic);
  explanation.more = [...more, ...place, ...renderFrame(diagnostic), ...(repeats === "" ? [] : [repeats])];
  return explanation;
}

function wordsFor<C extends ErrorCode>(error: KindlmErrorOf<C>): ErrorExplanation {
  // TypeScript relates a key and its value only through a mapped type, which this annotation is.
  const messages: { [K in ErrorCode]: (error: KindlmErrorOf<K>) => ErrorExplanation } = errorMessages;
  return messages[error.code](error);
}

/** The lines around a problem, numbered, with the piece that is wrong underlined. */
function renderFrame({ position, frame }: Diagnostic): string[] {
  if (position === undefined || frame === undefined) return [];
  const widest = Math.max(...frame.map(({ line }) => String(line).length), 0);
  return frame.flatMap(({ line, text }) => {
    const shown = `${String(line).padStart(widest)} | ${text}`;
    if (line !== position.line) return [shown];
    const before = text.slice(0, position.column - 1);
    const room = Math.max(1, text.length - before.length);
    // Tabs stay tabs, so the marks are aligned with what they mark.
    const indent = before.replaceAll(/[^\t]/g, " ");
    return [shown, `${" ".repeat(widest)} | ${indent}${"^".repeat(Math.min(Math.max(1, position.length), room))}`];
  });
}

const detailNames = {
  status: "HTTP status",
  requestId: "request id",
  attempts: "attempts",
  model: "model",
  systemCode: "system error",
  exitCode: "exit code",
} as const;

const originNames: Readonly<Record<string, string>> = { runId: "run", caseId: "case", requestId: "request" };

/** What `--verbose` adds to an error: its code, what the provider said, the stack. Lines. */
function verboseDetails(error: KindlmError): readonly string[] {
  const details: Readonly<Record<string, unknown>> = { ...error.details };
  const lines = [`${error.code} (${errorNumber(error.code)}, ${categoryOf(error)}): ${error.message}`];
  const where = Object.entries(error.origin ?? {}).map(([key, value]) => `${originNames[key] ?? key} ${value}`);
  if (where.length > 0) lines.push(`where: ${where.join(", ")}`);
  for (const [key, name] of Object.entries(detailNames)) {
    const value = details[key];
    if (typeof value === "string" || typeof value === "number") lines.push(`${name}: ${value}`);
  }
  for (const key of ["body", "partialText", "stderr"]) {
    const value = details[key];
    if (typeof value === "string" && value !== "")
      lines.push(`${key}:`, ...value.split("\n").map((line) => `  ${line}`));
  }
  return [...lines, ...stackLines(error.cause)];
}

/** The stack of an error and of what caused it. */
function stackLines(cause: Error | undefined): string[] {
  const lines: string[] = [];
  let current: unknown = cause;
  for (let depth = 0; current instanceof Error && depth < 5; depth += 1) {
    const stack = (current.stack ?? `${current.name}: ${current.message}`).split("\n");
    lines.push(
      ...stack.map((line, index) => (index === 0 ? `${depth === 0 ? "" : "caused by "}${line}` : `  ${line.trim()}`)),
    );
    current = current.cause;
  }
  return lines;
}
