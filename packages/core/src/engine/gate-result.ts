/** What became of one gate of the config. */
export interface GateResult {
  name: string;
  scope: "run";
  pass: boolean;
  limit: number;
  /** Null when it could not be computed; such a gate does not pass. */
  actual: number | null;
  message: string;
  /** False where the run can say nothing about it, such as of latencies in a replay; such a gate passes. */
  evaluated?: false;
}
