import type { StreamFraming } from "../../wire-format.js";
import type { StreamDecoder } from "./stream-decoder.js";

/** A decoder for one stream. Each framing is loaded when a stream first needs it. */
export async function createDecoder(framing: StreamFraming): Promise<StreamDecoder> {
  switch (framing) {
    case "sse": {
      const { createSseDecoder } = await import("./sse-decoder.js");
      return createSseDecoder();
    }
    case "ndjson": {
      const { createNdjsonDecoder } = await import("./ndjson-decoder.js");
      return createNdjsonDecoder();
    }
    case "aws-event-stream": {
      const { createAwsEventStreamDecoder } = await import("./aws-event-stream-decoder.js");
      return createAwsEventStreamDecoder();
    }
  }
}
