import { failure } from "../../result.js";
import type { Message } from "../../transcript/message.js";
import type { ProviderAdapter } from "../provider.js";
import { classifyFailure } from "./classify.js";
import type { ProviderIdentity } from "./provider-identity.js";

/** For an API that takes images but no addresses of images: such a request fails with the reason, and is not sent. */
export function refuseImageUrls(identity: ProviderIdentity, adapter: ProviderAdapter): ProviderAdapter {
  return {
    complete(request, options) {
      const url = findImageUrl(request.messages);
      if (url === null) return adapter.complete(request, options);
      const message = `it takes no image by its address, so that ${url} has to be given as a file`;
      const problem = { kind: "unsendable" as const, message, cause: new Error(message) };
      return Promise.resolve(failure(classifyFailure(identity, problem, 0)));
    },
  };
}

function findImageUrl(messages: readonly Message[]): string | null {
  for (const message of messages) {
    if (message.role !== "user" || typeof message.content === "string") continue;
    for (const part of message.content) if (part.type === "image" && part.source.kind === "url") return part.source.url;
  }
  return null;
}
