/** What an error of the results server is about. */
export interface ServerErrorDetails {
  /** Its address; absent if none is known. */
  server?: string;
  /** HTTP status; absent if there was no reply. */
  status?: number;
  /** `error` in the reply, such as `validation_error`. */
  error?: string;
  /** The start of the reply. */
  body?: string;
  /** What to do. */
  hint?: string;
  /** Whether the same request may work later. */
  retryable?: boolean;
  retryAfterMs?: number;
  /** Requests that were made. */
  attempts?: number;
  systemCode?: string;
  /** The user interrupted it. */
  isAborted?: true;
}

/** What a plan does not include. */
export interface PlanDetails {
  feature?: string;
  requiredPlan?: string;
  currentPlan?: string;
  upgradeUrl?: string;
}
