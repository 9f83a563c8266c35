import type { TraceIndex } from "../traces/trace-index.js";

/** Spans that were received, to be scored. */
export interface ReceivedTraces {
  /** As people are to see it. */
  name: string;
  index: TraceIndex;
}
