import type { Diagnostic, DiagnosticPlace } from "../../errors/error-table.js";
import { kindlmError, type ErrorCode, type KindlmError } from "../../errors/kindlm-error.js";
import { renderPath } from "../../values/preview.js";
import { visibleLine, withoutHidden } from "../../values/visible.js";
import { maskSecrets } from "./secret-literals.js";
import { frameOf, positionOf, type SourceText, type TextRange } from "./source-text.js";
import type { Path } from "./written.js";

/** What a check has to say, before it is placed. */
export interface FindingText {
  /** Default: CONFIG_VALIDATION_ERROR. */
  code?: ErrorCode;
  severity?: "error" | "warning";
  message: string;
  hint?: string | undefined;
  /** Where a file is named. */
  referencedIn?: string | undefined;
  /** What the place is part of, by name. */
  suite?: string;
  test?: string;
  /** The file or provider that the error is about. */
  subject?: string;
  /** The names that would have been valid. */
  known?: readonly string[];
}

/** A diagnostic with what its place in the report and its error need. */
export interface Finding {
  diagnostic: Diagnostic;
  order: number;
  offset: number;
  subject: string;
  known: readonly string[];
  /** What was thrown. */
  cause?: unknown;
}

/**
 * Places a finding in a source text, or in an object that has `path` there. Nothing of it shows a secret or a control character.
 */
export function findingAt(source: SourceText, range: TextRange, text: FindingText, path: Path = []): Finding {
  const place = placeIn(source, range, path);
  const frame = place.position === undefined ? [] : frameOf(source, place.position);
  const masked = frame.map((line) => ({
    line: line.line,
    text: withoutHidden(maskSecrets(line.text), () => "\ufffd"),
  }));
  return {
    diagnostic: { ...diagnosticOf(text), ...place, ...(masked.length > 0 ? { frame: masked } : {}) },
    order: source.order,
    offset: range.start,
    subject: text.subject ?? source.file,
    known: text.known ?? [],
  };
}

/** A finding about a whole file, without a place in it. */
export function findingOn(file: string, order: number, text: FindingText): Finding {
  return {
    diagnostic: diagnosticOf(text),
    order,
    offset: 0,
    subject: text.subject ?? file,
    known: text.known ?? [],
  };
}

export function placeIn(source: SourceText, range: TextRange, path: Path): DiagnosticPlace {
  return {
    ...(source.isObject === true ? {} : { position: positionOf(source, range) }),
    ...((source.isObject ?? source.isModule) !== true || path.length === 0 ? {} : { path: safe(renderPath(path)) }),
  };
}

function diagnosticOf(text: FindingText): Diagnostic {
  const diagnostic: Diagnostic = {
    code: text.code ?? "CONFIG_VALIDATION_ERROR",
    severity: text.severity ?? "error",
    message: safe(text.message),
  };
  if (text.hint !== undefined) diagnostic.hint = safe(text.hint);
  if (text.referencedIn !== undefined) diagnostic.referencedIn = visibleLine(text.referencedIn);
  if (text.suite !== undefined) diagnostic.suite = safe(text.suite);
  if (text.test !== undefined) diagnostic.test = safe(text.test);
  return diagnostic;
}

function safe(text: string): string {
  return maskSecrets(visibleLine(text));
}

/** Gathers findings. The same thing said about the same place counts once. */
export class Findings {
  readonly #found: Finding[] = [];
  readonly #keys = new Set<string>();

  add(...findings: readonly Finding[]): void {
    for (const finding of findings) {
      const { severity, message, path = "" } = finding.diagnostic;
      const key = `${finding.order}:${finding.offset}:${path}:${severity}:${message}`;
      if (this.#keys.has(key)) continue;
      this.#keys.add(key);
      this.#found.push(finding);
    }
  }

  get errors(): readonly Finding[] {
    return inOrder(this.#found.filter((finding) => finding.diagnostic.severity === "error"));
  }

  get warnings(): readonly Finding[] {
    return inOrder(this.#found.filter((finding) => finding.diagnostic.severity === "warning"));
  }

  get all(): readonly Finding[] {
    return inOrder(this.#found);
  }

  get hasErrors(): boolean {
    return this.#found.some((finding) => finding.diagnostic.severity === "error");
  }
}

function inOrder(findings: readonly Finding[]): readonly Finding[] {
  return findings.toSorted((a, b) => a.order - b.order || a.offset - b.offset);
}

/** The error of a load or of a suite: the first finding speaks, the others are in `details.diagnostics`. */
export function errorOf(findings: readonly Finding[]): KindlmError {
  const first = findings.find((finding) => finding.diagnostic.severity === "error");
  const diagnostics = findings.map((finding) => finding.diagnostic);
  if (first === undefined) {
    return kindlmError("CONFIG_VALIDATION_ERROR", "The config is not valid", { details: { diagnostics } });
  }
  const { code, message, referencedIn } = first.diagnostic;
  switch (code) {
    case "CONFIG_FILE_REF_ERROR":
    case "SCHEMA_FILE_ERROR": {
      const reference = { path: first.subject, diagnostics };
      return kindlmError(code, message, {
        details: referencedIn === undefined ? reference : { ...reference, referencedIn },
      });
    }
    case "PROVIDER_NOT_FOUND":
      return kindlmError(code, message, { details: { provider: first.subject, known: first.known, diagnostics } });
    case "CONFIG_PARSE_ERROR":
      return kindlmError(code, message, { details: { diagnostics }, cause: first.cause });
    default:
      return kindlmError("CONFIG_VALIDATION_ERROR", message, { details: { diagnostics } });
  }
}
