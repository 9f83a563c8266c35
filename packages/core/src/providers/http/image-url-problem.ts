import type { KindlmError } from "../../errors/kindlm-error.js";
import type { Message } from "../../transcript/message.js";
import { classifyFailure } from "./classify.js";
import type { ProviderIdentity } from "./provider-identity.js";

/** For an API that takes images but no addresses of images: why these messages cannot be sent, or null if they can. */
export function imageUrlProblem(identity: ProviderIdentity, messages: readonly Message[]): KindlmError | null {
  const url = findImageUrl(messages);
  if (url === null) return null;
  const message = `it takes no image by its address, so that ${url} has to be given as a file`;
  return classifyFailure(identity, { kind: "unsendable", message, cause: new Error(message) }, 0);
}

function findImageUrl(messages: readonly Message[]): string | null {
  for (const message of messages) {
    if (message.role !== "user" || typeof message.content === "string") continue;
    for (const part of message.content) if (part.type === "image" && part.source.kind === "url") return part.source.url;
  }
  return null;
}
