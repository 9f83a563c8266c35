import { beforeAll, describe, expect, expectTypeOf, it } from "vitest";
import { configForms } from "../../config/config-forms.js";
import { isRecord } from "../../values/json.js";
import { differences, identifyTogether, identityAfter, type CaseHashes } from "./__fixtures__/identity-project.js";
import { models, otherProviders, params, providers, top } from "./__fixtures__/pinned-model-keys.js";
import { suites, tests } from "./__fixtures__/pinned-suite-keys.js";
import { servers, tools } from "./__fixtures__/pinned-tool-keys.js";
import { ignored, type Fields } from "../../config/settings/field-parts.js";

describe("what a key of the config is part of", () => {
  const schema = configForms();
  const groups = [
    ["test", tests],
    ["suite", suites],
    ["tool", tools],
    ["MCP server", servers],
    ["model", models],
    ["params", params],
    ["provider", providers],
    ["config", top],
  ] as const;
  let unchanged: CaseHashes;
  beforeAll(async () => {
    unchanged = await identityAfter({});
    await identifyTogether(groups.flatMap(([, rows]) => rows.map(([, changes]) => changes)));
  });

  it.each([
    ["test", tests, ["definitions", "suite", "properties", "tests", "items"]],
    ["suite", suites, ["definitions", "suite"]],
    ["tool", tools, ["properties", "tools", "items"]],
    ["MCP server", servers, ["definitions", "suite", "properties", "mcp_servers", "items"]],
    ["model", models, ["properties", "models", "items"]],
    ["params", params, ["properties", "models", "items", "properties", "params"]],
    ["provider", [...providers, ...otherProviders], ["properties", "providers", "additionalProperties"]],
    ["config", top, []],
  ])("is told for every key of a %s", (_name, rows: readonly (readonly [string, ...unknown[]])[], path) => {
    const keys = Object.keys(recordAt(schema, [...path, "properties"]));
    expect(new Set(rows.map(([key]) => key))).toEqual(new Set(keys));
  });

  describe.each(groups)("%s", (_name, rows) => {
    it.each(rows)("%s: %j changes %s", async (_key, changes, changed) => {
      expect(differences(unchanged, await identityAfter(changes))).toBe(changed);
    });
  });

  it.each(otherProviders)("%s of a provider", async (_key, one, other, changed) => {
    expect(differences(await identityAfter(one), await identityAfter(other))).toBe(changed);
  });
});

it("does not compile while a field belongs to nothing", () => {
  interface Settings {
    known: number;
    added?: number;
  }
  expectTypeOf({ known: ignored }).not.toExtend<Fields<Settings>>();
  expectTypeOf({ known: ignored, added: ignored }).toExtend<Fields<Settings>>();
});

function recordAt(value: unknown, path: readonly string[]): Record<string, unknown> {
  let found = value;
  for (const key of path) found = isRecord(found) ? found[key] : undefined;
  if (!isRecord(found)) throw new Error(`Nothing at ${path.join(".")}`);
  return found;
}
