import type { WireFormat } from "../wire-format.js";
import { BedrockAssembler } from "./assemble-stream.js";
import type { BedrockAccess } from "./bedrock-access.js";
import { fromBedrockResponse } from "./from-response.js";
import { toBedrockRequest } from "./to-request.js";

export function createBedrockFormat({ baseUrl, headers }: BedrockAccess, model: string): WireFormat {
  const streamHeaders = { accept: "application/vnd.amazon.eventstream", ...headers };
  const url = `${baseUrl}/model/${encodePathPart(model)}/converse`;
  const streamUrl = `${url}-stream`;
  return {
    toRequest: (request) => ({
      ...(request.stream === true ? { url: streamUrl, headers: streamHeaders } : { url, headers }),
      body: toBedrockRequest(request),
    }),
    fromResponse: fromBedrockResponse,
    stream: { framing: "aws-event-stream", createAssembler: () => new BedrockAssembler() },
    takesImageUrls: false,
  };
}

/** Ids have colons and ARNs have slashes, which must not be taken for parts of the path. */
function encodePathPart(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
