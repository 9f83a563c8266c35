import type { KindlmError } from "./errors/kindlm-error.js";

/** The outcome of a call that worked. */
export interface Success<T> {
  success: true;
  data: T;
}

/** The outcome of a call that did not work, with the reason as data. */
export interface Failure<E> {
  success: false;
  error: E;
}

/** What every function that can fail returns: data or a {@link KindlmError}, never an exception. */
export type Result<T, E = KindlmError> = Success<T> | Failure<E>;

export function success<T>(data: T): Success<T> {
  return { success: true, data };
}

export function failure<E>(error: E): Failure<E> {
  return { success: false, error };
}
