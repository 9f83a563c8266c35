import { expect, it } from "vitest";
import { success } from "../../result.js";
import type { Message } from "../../transcript/message.js";
import type { ProviderAdapter, ProviderResponse } from "../provider.js";
import { refuseImageUrls } from "./refuse-image-urls.js";

const response: ProviderResponse = {
  text: "A cat.",
  toolCalls: [],
  finishReason: { unified: "stop", raw: "stop" },
  usage: null,
  modelServed: null,
  requestId: null,
  latencyMs: 1,
};
const inner: ProviderAdapter = { complete: () => Promise.resolve(success(response)) };
const adapter = refuseImageUrls({ name: "Ollama", model: "m", apiKeyEnv: null }, inner);

function complete(...messages: readonly Message[]) {
  const origin = { caseId: "c", trial: 1, turn: 1, seed: 1 };
  return adapter.complete({ messages, tools: [], params: {}, origin }, { signal: new AbortController().signal });
}

it("lets text and images at hand through", async () => {
  const source = { kind: "base64", mediaType: "image/png", data: "AAAA" } as const;
  const content = [
    { type: "text", text: "https://x/y.png" },
    { type: "image", source },
  ] as const;
  const answer = await complete({ role: "user", content: "Hi" }, { role: "user", content });
  expect(answer).toEqual({ success: true, data: response });
});

it("refuses an image by URL, wherever it is in the history, and says what to do", async () => {
  const source = { kind: "url", url: "https://x/y.png" } as const;
  const content = [{ type: "image", source }] as const;
  expect(await complete({ role: "user", content }, { role: "user", content: "Hi" })).toMatchObject({
    success: false,
    error: {
      code: "PROVIDER_API_ERROR",
      message:
        "The request to Ollama can not be sent: it takes no image by its address, so that https://x/y.png has to be given as a file",
      details: { provider: "Ollama", model: "m", retryable: false },
    },
  });
});
