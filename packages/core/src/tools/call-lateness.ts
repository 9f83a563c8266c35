/** The reason of a signal that aborts at the deadline of a call, as `AbortSignal.timeout` has it. */
export function createLateness(): DOMException {
  return new DOMException("The deadline of the call has passed", "TimeoutError");
}

/** Whether the call was given up at its deadline, so the agent has received an error. */
export function isLate({ reason }: Pick<AbortSignal, "reason">): boolean {
  return reason instanceof DOMException && reason.name === "TimeoutError";
}
