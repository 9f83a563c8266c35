import { describe, expect, it } from "vitest";
import { ollamaProvider, ollamaAddress } from "./ollama-provider.js";

function inspect(provider: Record<string, unknown>, env: Record<string, string> = {}, providerName = "ollama") {
  const settings = { id: "m", providerName, model: "qwen3", provider, own: {}, documents: {} };
  return ollamaProvider.inspect(settings, env);
}

const key = { OLLAMA_API_KEY: "sk-ollama" };
const bearer = { authorization: "Bearer sk-ollama" };

describe("ollamaProvider", () => {
  it("asks this machine, without a key, for its models", () => {
    expect(inspect({}, key)).toEqual({
      baseUrl: "http://127.0.0.1:11434",
      keys: [],
      isKeyNeeded: false,
      probe: { url: "http://127.0.0.1:11434/api/tags", headers: {} },
    });
  });

  it.each([
    [{}, "gpu-box", "http://gpu-box:11434"],
    [{ base_url: "http://other:1/" }, "gpu-box", "http://other:1"],
  ])("goes by base_url, then by OLLAMA_HOST: %j", (provider, host, baseUrl) => {
    expect(inspect(provider, { OLLAMA_HOST: host })).toMatchObject({ baseUrl });
  });

  it("gives the key to ollama.com, which needs it", () => {
    const hosted = { base_url: "https://ollama.com" };
    const keys = [{ env: "OLLAMA_API_KEY", isSet: true }];
    expect(inspect(hosted, key)).toMatchObject({ keys, isKeyNeeded: true, probe: { headers: bearer } });
    expect(inspect({}, { ...key, OLLAMA_HOST: "ollama.com" })).toMatchObject({ keys, probe: { headers: bearer } });
    expect(inspect(hosted)).toMatchObject({ keys: [{ isSet: false }], isKeyNeeded: true, probe: { headers: {} } });
  });

  it("gives a server of one's own the key that the config names", () => {
    const provider = { base_url: "http://gpu-box:11434", api_key_env: "OLLAMA_API_KEY" };
    expect(inspect(provider, key, "gpu")).toMatchObject({ isKeyNeeded: true, probe: { headers: bearer } });
  });

  it("sends the headers of the config", () => {
    expect(inspect({ headers: { "X-Team": "a" } })).toMatchObject({ probe: { headers: { "x-team": "a" } } });
  });
});

it.each([
  [undefined, "http://127.0.0.1:11434"],
  ["", "http://127.0.0.1:11434"],
  ["  ", "http://127.0.0.1:11434"],
  ["1.2.3.4", "http://1.2.3.4:11434"],
  ["1.2.3.4:56789", "http://1.2.3.4:56789"],
  [":1234", "http://127.0.0.1:1234"],
  ["gpu-box", "http://gpu-box:11434"],
  ["http://gpu-box", "http://gpu-box"],
  ["https://gpu-box", "https://gpu-box"],
  ["https://gpu-box:4343", "https://gpu-box:4343"],
  ["https://gpu-box/ollama/", "https://gpu-box/ollama"],
  ["gpu-box/ollama", "http://gpu-box:11434/ollama"],
  ["0.0.0.0", "http://127.0.0.1:11434"],
  ["0.0.0.0:8080", "http://127.0.0.1:8080"],
  ["http://0.0.0.0:8080", "http://127.0.0.1:8080"],
  ["[::]:8080", "http://[::1]:8080"],
  ["[::1]", "http://[::1]:11434"],
  ["::1", "http://[::1]:11434"],
  ['"1.2.3.4"', "http://1.2.3.4:11434"],
  ["ollama.com", "https://ollama.com"],
  ["not a host", "not a host"],
  ["1.2.3.4:66000", "1.2.3.4:66000"],
])("takes OLLAMA_HOST=%j for %s", (host, expected) => {
  expect(ollamaAddress(host)).toBe(expected);
});
