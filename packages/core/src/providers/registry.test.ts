import * as z from "zod";
import { expect, it } from "vitest";
import { strictObject } from "../schema-parts/strict-object.js";
import { findProvider, knownProviderNames, providerDefinitions } from "./registry.js";

it("finds every provider by its type, and no other", () => {
  expect(knownProviderNames).toEqual(expect.arrayContaining(["openai", "anthropic", "gemini", "cohere", "scripted"]));
  expect(new Set(knownProviderNames).size).toBe(providerDefinitions.length);
  for (const definition of providerDefinitions) expect(findProvider(definition.type)).toBe(definition);
  expect(findProvider("constructor")).toBeNull();
});

it.each(providerDefinitions.map((definition) => [definition.type, definition] as const))(
  "%s can be described as a JSON Schema, each key with words",
  (_type, definition) => {
    const schema = z.toJSONSchema(strictObject(definition.settings), { io: "input" });
    for (const property of Object.values(schema.properties ?? {})) expect(property).toHaveProperty("description");
    for (const document of Object.values(definition.documents)) {
      expect(z.toJSONSchema(document, { io: "input" })).toHaveProperty("type", "object");
    }
  },
);

it.each([
  [{ base_url: "ftp://x" }, false],
  [{ base_url: "127.0.0.1:8080" }, false],
  [{ base_url: "http://127.0.0.1:8080/v1", headers: { a: "b" }, api_key_env: "K" }, true],
  [{ key: "sk-1" }, false],
])("the settings of openai %j are valid: %j", (settings, isValid) => {
  const definition = findProvider("openai");
  expect(strictObject(definition?.settings ?? {}).safeParse(settings).success).toBe(isValid);
});
