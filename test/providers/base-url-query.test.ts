import { afterAll, expect, it, onTestFinished } from "vitest";
import { findProvider } from "../../packages/core/src/providers/registry.js";
import { chatCompletion } from "../../packages/core/src/__fixtures__/provider-replies.js";
import { sendJson, startServer } from "../../packages/core/src/__fixtures__/start-server.js";
import { adapterFor, requestOf, transport } from "./adapter-under-test.js";

afterAll(() => transport.close());

it.each([
  ["/v1?tenant=a&sig=b%3D", "/v1/chat/completions?tenant=a&sig=b%3D"],
  ["/v1/?x=1?2", "/v1/chat/completions?x=1?2"],
  ["/v1", "/v1/chat/completions"],
])("puts the query of the address %s behind the path", async (address, path) => {
  const server = await startServer((_request, response) => sendJson(response, 200, chatCompletion({ text: "hello" })));
  onTestFinished(() => server.close());
  const adapter = adapterFor({ type: "openai", providerName: "gate", provider: { base_url: server.url + address } });
  const answer = await adapter.complete(requestOf(), { signal: new AbortController().signal });
  expect(answer).toMatchObject({ success: true, data: { text: "hello" } });
  expect(server.requests.map((request) => request.path)).toEqual([path]);
});

it("joins it to a query that the API has, and asks the list of models with it", () => {
  const settings = { id: "m", providerName: "gate", model: "m", own: {}, documents: {} };
  const provider = { base_url: "http://127.0.0.1:9?sig=a" };
  expect(findProvider("anthropic")?.inspect({ ...settings, provider }, {})).toMatchObject({
    baseUrl: "http://127.0.0.1:9",
    probe: { url: "http://127.0.0.1:9/v1/models?limit=1000&sig=a" },
  });
});
