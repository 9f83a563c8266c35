import { expect, it } from "vitest";
import { ollamaAddress } from "./ollama-address.js";

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
