import { attempt } from "../errors/boundary.js";
import { messageOf } from "../errors/message-of.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { failure, type Failure, type Result } from "../result.js";

/** Why a call of a user's module has no outcome. */
export interface ModuleFailure {
  /**
   * `missing`: the module or its export cannot be loaded. `unfit`: the export is not what it must be. `threw`: the user's
   * code did. `ended`: the call ended its worker, as `process.exit` does. `swept`: another call ended the worker.
   */
  how: "missing" | "unfit" | "threw" | "ended" | "swept";
  /** Of `threw` and `missing` the message of the error; else what happened, to be read after the name of the call. */
  message: string;
  cause?: unknown;
}

export function moduleFailure(how: ModuleFailure["how"], message: string, cause?: unknown): Failure<ModuleFailure> {
  return failure(cause === undefined ? { how, message } : { how, message, cause });
}

/** Runs code of the user's; what it throws, or rejects with, is a failure. */
export async function runUserCode<T>(action: () => T | Promise<T>): Promise<Result<T, ModuleFailure>> {
  const ran = await attempt(action, (cause) => kindlmError("UNKNOWN_ERROR", messageOf(cause), { cause }));
  return ran.success ? ran : moduleFailure("threw", ran.error.message, ran.error.cause);
}
