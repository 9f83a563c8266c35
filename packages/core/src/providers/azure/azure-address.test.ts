import { describe, expect, it } from "vitest";
import { azureModelsUrl, azureUrl, isAzureHost, toAzureEndpoint } from "./azure-address.js";

const endpoint = "https://shop.openai.azure.com";

describe("azureUrl", () => {
  it.each([
    [null, "chat", "/openai/v1/chat/completions"],
    [null, "responses", "/openai/v1/responses"],
    ["preview", "responses", "/openai/v1/responses?api-version=preview"],
    ["2024-10-21", "chat", "/openai/deployments/my%20gpt/chat/completions?api-version=2024-10-21"],
    ["2025-04-01-preview", "responses", "/openai/responses?api-version=2025-04-01-preview"],
  ] as const)("of version %j, %s", (apiVersion, api, path) => {
    expect(azureUrl({ endpoint, apiVersion, deployment: "my gpt" }, api)).toBe(`${endpoint}${path}`);
  });
});

it.each([
  [null, "/openai/v1/models"],
  ["2024-10-21", "/openai/models?api-version=2024-10-21"],
])("lists the models of version %j", (apiVersion, path) => {
  expect(azureModelsUrl({ endpoint, apiVersion, deployment: "d" })).toBe(`${endpoint}${path}`);
});

it.each(["", "/", "/openai", "/openai/", "/openai/v1", "/openai/v1/"])(
  "finds the resource in an address with %j",
  (end) => {
    expect(toAzureEndpoint(`${endpoint}${end}`)).toBe(endpoint);
  },
);

it.each([
  [endpoint, true],
  ["https://shop.cognitiveservices.azure.com", true],
  ["https://shop.services.ai.azure.com", true],
  ["https://shop.openai.azure.us", true],
  ["https://shop.cloudapp.azure.com", false],
  ["https://shop.openai.azure.com.example.com", false],
  ["https://example.com/shop.openai.azure.com", false],
  ["http://127.0.0.1:8080", false],
  ["", false],
])("%s is Azure's own: %j", (url, expected) => {
  expect(isAzureHost(url)).toBe(expected);
});
