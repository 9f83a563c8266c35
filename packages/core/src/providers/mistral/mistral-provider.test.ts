import { expect, it } from "vitest";
import { mistralProvider } from "./mistral-provider.js";

it.each([
  [{}, "https://api.mistral.ai/v1/models"],
  [{ base_url: "https://gateway.example/mistral" }, "https://gateway.example/mistral/v1/models"],
  [{ base_url: "https://gateway.example/v1/" }, "https://gateway.example/v1/models"],
])("asks for its models at %j", (provider, url) => {
  const settings = { id: "m", providerName: "mistral", model: "mistral-small", provider, own: {}, documents: {} };
  expect(mistralProvider.inspect(settings, { MISTRAL_API_KEY: "sk-m" })).toMatchObject({
    keys: [{ env: "MISTRAL_API_KEY", isSet: true }],
    isKeyNeeded: true,
    probe: { url, headers: { authorization: "Bearer sk-m" } },
  });
});
