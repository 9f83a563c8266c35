import { categoryOf, errorNumber, type KindlmError } from "@kindlm/core";

const names = {
  status: "HTTP status",
  requestId: "request id",
  attempts: "attempts",
  model: "model",
  systemCode: "system error",
  exitCode: "exit code",
} as const;

const originNames: Readonly<Record<string, string>> = { runId: "run", caseId: "case", requestId: "request" };

/** What `--verbose` adds to an error: its code, what the provider said, the stack. Lines. */
export function verboseDetails(error: KindlmError): readonly string[] {
  const details: Readonly<Record<string, unknown>> = { ...error.details };
  const lines = [`${error.code} (${errorNumber(error.code)}, ${categoryOf(error)}): ${error.message}`];
  const where = Object.entries(error.origin ?? {}).map(([key, value]) => `${originNames[key] ?? key} ${value}`);
  if (where.length > 0) lines.push(`where: ${where.join(", ")}`);
  for (const [key, name] of Object.entries(names)) {
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
