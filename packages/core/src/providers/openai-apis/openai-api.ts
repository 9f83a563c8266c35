import type { DialectName } from "../dialect-name.js";
import type { ModelSettings } from "../define-provider.js";
import * as z from "../../values/deferred-zod.js";

/** The two APIs that answer a conversation. */
const openaiApis = ["chat", "responses"] as const;
export type OpenaiApi = (typeof openaiApis)[number];

/** The key that chooses between them, in a provider's block and in a model of it. */
export const openaiApiKey = {
  api: z
    .enum(openaiApis)
    .optional()
    .describe("Which API answers: chat completions (chat, when left out) or the Responses API (responses)"),
};

/** The API that a model is asked through; the model's own key wins over its provider's. */
export function openaiApiOf({ own, provider }: Pick<ModelSettings, "own" | "provider">): OpenaiApi {
  return (own["api"] ?? provider["api"]) === "responses" ? "responses" : "chat";
}

/** What agents speak that use an API. */
export const openaiDialects = { chat: "openai-chat", responses: "openai-responses" } as const;

/** The API of a request: that which the agent speaks, or the model's own. */
export function openaiApiFor(
  dialect: DialectName | undefined,
  settings: Pick<ModelSettings, "own" | "provider">,
): OpenaiApi {
  return openaiApis.find((api) => openaiDialects[api] === dialect) ?? openaiApiOf(settings);
}

/** The end of each API's address. */
export const openaiPaths = { chat: "/chat/completions", responses: "/responses" } as const;

/** Names the account by the provider's name in the config, since each entry has one address and one key. */
export function sourceOf({ providerName, model }: Pick<ModelSettings, "providerName" | "model">): string {
  return `${providerName}:${model}`;
}
