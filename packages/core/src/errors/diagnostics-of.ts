import type { Diagnostic } from "./error-table.js";
import type { KindlmError } from "./kindlm-error.js";

/** The problems that an error carries; none for most. */
export function diagnosticsOf(error: KindlmError): readonly Diagnostic[] {
  switch (error.code) {
    case "CONFIG_PARSE_ERROR":
    case "CONFIG_VALIDATION_ERROR":
    case "CONFIG_FILE_REF_ERROR":
    case "SCHEMA_FILE_ERROR":
    case "PROVIDER_NOT_FOUND":
    case "TRANSCRIPT_INVALID":
      return error.details?.diagnostics ?? [];
    default:
      return [];
  }
}
