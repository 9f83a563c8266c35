export const toolErrorTypes = ["validation", "runtime", "logical", "aborted", "exception"] as const;

/** Why a tool call did not succeed, in the terms that the model sees. */
export type ToolErrorType = (typeof toolErrorTypes)[number];

/** A tool call that did not succeed. It is an answer to the model, never an error of the run. */
export interface ToolFailure {
  errorType: ToolErrorType;
  message: string;
  retryable: boolean;
  recommendations?: readonly string[];
}
