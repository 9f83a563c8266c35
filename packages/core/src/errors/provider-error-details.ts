/** Details that every provider error carries. */
export interface ProviderErrorDetails {
  /** Name of the provider for people, such as `OpenAI`. */
  provider: string;
  model?: string;
  status?: number;
  /** First 2,000 characters of the response body, redacted by the sink that shows it. */
  body?: string;
  requestId?: string;
  /** The server's hint, milliseconds from when the reply arrived. */
  retryAfterMs?: number;
  /** False where the server or the kind of failure says that the same call cannot work. */
  retryable?: boolean;
  /** False where nothing was sent: no key, or a request that cannot be made. */
  sent?: false;
  /** Which deadline passed. */
  timeout?: { kind: "connect" | "headers" | "idle" | "request"; ms: number };
  /** True for an exhausted quota or an empty account. */
  quota?: boolean;
  /** Environment variable that names the key. */
  apiKeyEnv?: string;
  /** What to do, where that is more than to set `apiKeyEnv`; it is the end of the message. */
  remedy?: string;
  /** System error code, such as `ECONNREFUSED`. */
  systemCode?: string;
  /** True if the reply had started: the server is there, and its address is right. */
  brokeOff?: true;
  /** Attempts made before giving up, this one included. */
  attempts?: number;
  /** Why it was not tried again, where that is news: the server asks for a longer wait than is allowed. */
  notRetried?: string;
  /** Text received before a stream broke. */
  partialText?: string;
  /** The results of calling the fallback models, in their order. */
  fallbacks?: readonly { model: string; code: string; message: string }[];
  /** True where the circuit is open because the key was refused: it stays open for the rest of the run. */
  keyRefused?: boolean;
  /** When the circuit breaker lets a call through again, milliseconds from the refusal. */
  reopensInMs?: number;
}
