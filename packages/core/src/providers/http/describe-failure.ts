import type { HttpFailure } from "./transport.js";

/** undici's own codes that stand for an end of the connection which the system did not name. */
const closedCodes = new Set(["UND_ERR_SOCKET", "UND_ERR_RES_CONTENT_LENGTH_MISMATCH", "UND_ERR_DESTROYED"]);

/** What an exception of undici or the system means. Deadlines are reported by the exchange itself, never by exceptions. */
export function describeFailure(cause: unknown): HttpFailure {
  const error = cause instanceof Error ? cause : new Error(String(cause));
  const code = codeOf(error);
  if (code === "UND_ERR_INVALID_ARG" || code === "UND_ERR_REQ_CONTENT_LENGTH_MISMATCH") {
    return { kind: "unsendable", message: error.message, cause: error };
  }
  if (code !== null && closedCodes.has(code)) {
    // Node names a connection that the other side closed too early ECONNRESET, whichever way it was closed.
    return { kind: "network", systemCode: "ECONNRESET", message: messageOf(error), cause: error };
  }
  return { kind: "network", systemCode: code, message: messageOf(error), cause: error };
}

function codeOf(error: Error): string | null {
  if ("code" in error && typeof error.code === "string") return error.code;
  return error.cause instanceof Error ? codeOf(error.cause) : null;
}

/**
 * Several addresses of one host fail together in an AggregateError, whose own message is empty. OpenSSL's messages hold
 * a thread's address, its source file and a line feed, and differ from run to run; its reason says all there is to say.
 */
function messageOf(error: Error): string {
  if ("library" in error && "reason" in error && typeof error.reason === "string") return `TLS: ${error.reason}`;
  if (error.message !== "") return error.message;
  if (error instanceof AggregateError) {
    const messages = error.errors.map((inner) => (inner instanceof Error ? inner.message : String(inner)));
    return [...new Set(messages)].join(", ");
  }
  return error.name;
}
