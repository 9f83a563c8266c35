import { failure, success, type Result } from "../result.js";
import type { KindlmError } from "./kindlm-error.js";

/** The one place where exceptions of asynchronous code become data. */
export function attempt<T>(action: () => Promise<T> | T, toError: (cause: unknown) => KindlmError): Promise<Result<T>> {
  const toFailure = (cause: unknown): Result<T> => failure(toError(cause));
  // Not an async function: each call to a model passes several, and a promise less in each can be measured.
  try {
    return Promise.resolve(action()).then((data): Result<T> => success(data), toFailure);
  } catch (cause) {
    return Promise.resolve().then(() => toFailure(cause));
  }
}

/** Ends as `action` does, once `cleanUp` has ended, which must not reject. */
export async function withCleanup<T>(action: () => Promise<T>, cleanUp: () => Promise<void>): Promise<T> {
  try {
    return await action();
  } finally {
    await cleanUp();
  }
}

/**
 * As {@link attempt}, for what gives a Result itself. What is not asynchronous is not made so, and what is gets one promise
 * more: each trial comes through here several times.
 */
export function attemptResult<T>(
  action: () => Promise<Result<T>> | Result<T>,
  toError: (cause: unknown) => KindlmError,
): Promise<Result<T>> | Result<T> {
  const toFailure = (cause: unknown): Result<T> => failure(toError(cause));
  try {
    const result = action();
    return result instanceof Promise ? result.then(undefined, toFailure) : result;
  } catch (cause) {
    return toFailure(cause);
  }
}

/** Calls back. Returns what that threw; null if it threw nothing. Makes nothing then, since events are very many. */
export function failureOf<T>(callback: (value: T) => void, value: T): { cause: unknown } | null {
  try {
    callback(value);
    return null;
  } catch (cause) {
    return { cause };
  }
}

/** As {@link attempt}, for synchronous code; the caller may choose another error type. */
export function attemptSync<T, E = KindlmError>(action: () => T, toError: (cause: unknown) => E): Result<T, E> {
  try {
    return success(action());
  } catch (cause) {
    return failure(toError(cause));
  }
}
