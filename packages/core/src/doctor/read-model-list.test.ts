import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isListed, readModelList } from "./read-model-list.js";

describe("readModelList", () => {
  it.each([
    ["OpenAI", { object: "list", data: [{ id: "gpt-4.1-mini" }, { id: "o3" }] }, ["gpt-4.1-mini", "o3"]],
    ["Anthropic", { data: [{ type: "model", id: "claude-haiku-4-5" }], has_more: false }, ["claude-haiku-4-5"]],
    [
      "Mistral",
      { data: [{ id: "mistral-large-2512", aliases: ["mistral-large-latest"] }] },
      ["mistral-large-2512", "mistral-large-latest"],
    ],
    ["Gemini", { models: [{ name: "models/gemini-2.5-flash" }] }, ["gemini-2.5-flash"]],
    ["Ollama", { models: [{ name: "llama3.2:latest", model: "llama3.2:latest" }] }, ["llama3.2:latest"]],
    ["Cohere", { models: [{ name: "command-r-08-2024" }], next_page_token: "" }, ["command-r-08-2024"]],
    ["a bare list", ["a", { id: "b" }], ["a", "b"]],
    ["an empty list", { data: [] }, []],
  ])("reads the list of %s", (_name, body, names) => {
    expect(readModelList(JSON.stringify(body))).toEqual({ names, isComplete: true });
  });

  it.each([
    ["Anthropic", { data: [{ id: "a" }], has_more: true }],
    ["Gemini", { models: [{ name: "models/a" }], nextPageToken: "t" }],
    ["Cohere", { models: [{ name: "a" }], next_page_token: "t" }],
  ])("knows that %s has more pages", (_name, body) => {
    expect(readModelList(JSON.stringify(body))).toMatchObject({ isComplete: false });
  });

  it.each(["", "<html>", "null", "3", "{}", '{"data":{}}', '{"data":[{"label":"a"}]}', '{"models":[1]}'])(
    "takes %j for no list",
    (body) => {
      expect(readModelList(body)).toBeNull();
    },
  );

  it("bears any answer", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (body) => {
        const list = readModelList(body);
        expect(list === null || list.names.every((name) => typeof name === "string")).toBe(true);
      }),
    );
  });
});

describe("isListed", () => {
  const isIn = (model: string, ...names: string[]) => isListed(model, { names, isComplete: true });

  it.each([
    ["gpt-4.1-mini", "gpt-4.1-mini"],
    ["gpt-4.1-mini", "gpt-4.1-mini-2025-04-14"],
    ["claude-sonnet-4-5", "claude-sonnet-4-5-20250929"],
    ["claude-haiku-4-5-latest", "claude-haiku-4-5-20251001"],
    ["mistral-large-latest", "mistral-large-2512"],
    ["llama3.2", "llama3.2:latest"],
    ["models/gemini-2.5-flash", "gemini-2.5-flash"],
    ["gemini-2.5-flash", "gemini-2.5-flash-001"],
  ])("%s is there as %s", (model, name) => {
    expect(isIn(model, "other", name)).toBe(true);
  });

  it.each([
    ["gpt-4.1", "gpt-4.1-mini"],
    ["gpt-4.1-mini", "gpt-4.1"],
    ["claude-sonnet-4-5-20990101", "claude-sonnet-4-5-20250929"],
    ["llama3.2:1b", "llama3.2:latest"],
    ["constructor", "toString"],
  ])("%s is not there as %s", (model, name) => {
    expect(isIn(model, name)).toBe(false);
  });
});
