import { expect, it } from "vitest";
import type { Message } from "../../transcript/message.js";
import { imageUrlProblem } from "./post-completion.js";

function problemOf(...messages: readonly Message[]) {
  return imageUrlProblem({ name: "Ollama", model: "m", apiKeyEnv: null }, messages);
}

it("lets text and images at hand through", () => {
  const source = { kind: "base64", mediaType: "image/png", data: "AAAA" } as const;
  const content = [
    { type: "text", text: "https://x/y.png" },
    { type: "image", source },
  ] as const;
  expect(problemOf({ role: "user", content: "Hi" }, { role: "user", content })).toBeNull();
});

it("refuses an image by URL, wherever it is in the history, and says what to do", () => {
  const source = { kind: "url", url: "https://x/y.png" } as const;
  const content = [{ type: "image", source }] as const;
  expect(problemOf({ role: "user", content }, { role: "user", content: "Hi" })).toMatchObject({
    code: "PROVIDER_API_ERROR",
    message:
      "The request to Ollama cannot be sent: it takes no image by its address, so that https://x/y.png has to be given as a file",
    details: { provider: "Ollama", model: "m", retryable: false },
  });
});
