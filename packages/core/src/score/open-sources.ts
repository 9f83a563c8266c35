import { success, type Result } from "../result.js";
import { TraceIndex } from "../traces/trace-index.js";
import type { ReceivedTraces } from "./received-traces.js";
import { addBinarySpans, addSpans, traceSource } from "./trace-source.js";
import { openTranscripts, type TranscriptSource, type TranscriptStream } from "./transcript-source.js";

/**
 * Opens files and streams of conversations. Those that hold spans of OpenTelemetry become one source together, since the
 * spans of a trace may be in several of them. Fails with TRANSCRIPT_INVALID.
 */
export async function openSources(
  wanted: readonly (string | TranscriptStream | ReceivedTraces)[],
  testOfTraces: string | null,
  cwd: string,
): Promise<Result<readonly TranscriptSource[]>> {
  const sources: TranscriptSource[] = [];
  const traced: string[] = [];
  const index = new TraceIndex();
  for (const one of wanted) {
    if (typeof one !== "string" && "index" in one) {
      sources.push(traceSource(one.name, one.index, testOfTraces));
      continue;
    }
    const binary = typeof one === "string" ? await addBinarySpans(one, cwd, index) : success(false);
    if (!binary.success) return binary;
    if (binary.data) {
      traced.push(typeof one === "string" ? one : one.name);
      continue;
    }
    const opened = await openTranscripts(one, cwd);
    if (!opened.success) return opened;
    const added = await addSpans(opened.data, index);
    if (!added.success) return added;
    if (added.data) traced.push(opened.data.shown);
    else sources.push(opened.data);
  }
  if (traced.length > 0) sources.push(traceSource(traced.join(", "), index, testOfTraces));
  return success(sources);
}
