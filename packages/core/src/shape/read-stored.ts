import { failure, success, type Result } from "../result.js";
import type { Flaw, Shape } from "./shape.js";

/** A value that was stored, if it has the shape. */
export function readStored<T>(shape: Shape<T>, stored: unknown): Result<T, Flaw> {
  const flaw = shape.check(stored);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its shape has just found nothing wrong with it
  return flaw === null ? success(stored as T) : failure(flaw);
}
