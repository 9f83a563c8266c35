interface GateParts {
  name: string;
  pass: boolean;
  limit: number;
  /** Null when it could not be computed; such a gate does not pass. */
  actual: number | null;
  message: string;
  /** False where there is nothing to say about it, such as of latencies in a replay; such a gate passes. */
  evaluated?: false;
}

/** What became of one gate of the config, which is about the run or about one suite. */
export type GateResult = (GateParts & { scope: "run" }) | (GateParts & { scope: "suite"; suite: string });
