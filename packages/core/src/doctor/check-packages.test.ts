import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { loadConfig } from "../config/load-config.js";
import type { ResolvedConfig } from "../config/resolved-config.js";
import type { ResolvedModel } from "../config/resolved-model.js";
import { checkPackages } from "./check-packages.js";
import { isAtLeast, oldestNode } from "./check-program.js";
import { modelsInUse } from "./collect-endpoints.js";

const withChecks = (assertions: string, plugins: string): string => `version: 1
plugins: ${plugins}
models: [{ id: m, provider: scripted, script: { otherwise: { text: hello } } }]
suites:
  - name: s
    tests: [{ name: t, input: hi, assert: ${assertions} }]
`;

async function load(assertions: string, plugins = "[]"): Promise<ResolvedConfig> {
  const cwd = await mkdtemp(path.join(tmpdir(), "kindlm-doctor-"));
  onTestFinished(() => rm(cwd, { recursive: true }));
  await writeFile(path.join(cwd, "kindlm.yaml"), withChecks(assertions, plugins));
  await writeFile(path.join(cwd, "check.ts"), "export default () => true;");
  await writeFile(path.join(cwd, "check.mjs"), "export default () => true;");
  const loaded = await loadConfig({ paths: [], ci: false }, { env: {}, cwd });
  if (!loaded.success) throw new Error(loaded.error.message);
  return loaded.data;
}

const nobody = (): boolean => false;

describe("checkPackages", () => {
  it.each([
    ["v20.19.0", "failed"],
    ["v22.17.1", "failed"],
    ["v22.18.0", "info"],
    ["v23.5.0", "failed"],
    ["v24.0.0", "info"],
  ])("a check in TypeScript on Node.js %s without jiti: %s", async (node, status) => {
    const config = await load("[{ any_of: [{ type: module, module: ./check.ts#default }] }]");
    expect(checkPackages(config, [], node, nobody)).toMatchObject([
      { name: "package", status, fix: "Run: npm install --save-dev jiti" },
    ]);
  });

  it("a plugin in TypeScript needs it too", async () => {
    const config = await load("[{ type: contains, value: hello }]", "[./check.ts]");
    expect(checkPackages(config, [], "v20.19.0", nobody)).toMatchObject([{ status: "failed" }]);
  });

  it("finds jiti where it is installed", async () => {
    const config = await load("[{ type: module, module: check.ts }]");
    expect(checkPackages(config, [], "v20.19.0", (name) => name === "jiti")).toMatchObject([{ status: "ok" }]);
    expect(checkPackages(config, [], "v20.19.0")).toMatchObject([{ status: "ok" }]);
  });

  it("asks for nothing that nobody needs", async () => {
    const config = await load("[{ type: module, module: check.mjs }, { type: contains, value: check.ts }]");
    expect(checkPackages(config, modelsInUse(config), "v20.19.0", nobody)).toEqual([]);
  });

  it("says which provider needs a package", async () => {
    const config = await load("[{ type: contains, value: hello }]");
    const signer = { baseUrl: "http://127.0.0.1", keys: [], isKeyNeeded: true, probe: null, peers: ["no-such-signer"] };
    const signing = modelsInUse(config).map((model): ResolvedModel => ({
      ...model,
      definition: { ...model.definition, label: "Signer", inspect: () => signer },
    }));
    expect(checkPackages(config, signing, "v20.19.0")).toEqual([
      {
        name: "package",
        provider: null,
        status: "failed",
        message: "no-such-signer is not installed; Signer needs it",
        fix: "Run: npm install --save-dev no-such-signer",
      },
    ]);
    expect(checkPackages(config, signing, "v20.19.0", () => true)).toMatchObject([{ status: "ok" }]);
  });
});

describe("isAtLeast", () => {
  it.each([
    ["v20.19.0", true],
    ["v20.18.3", false],
    ["v18.20.0", false],
    ["v21.0.0", true],
    ["22.1.0", true],
  ])("%s is new enough: %s", (version, expected) => {
    expect(isAtLeast(version, oldestNode)).toBe(expected);
  });

  it("agrees with the package", () => {
    const file = path.join(import.meta.dirname, "..", "..", "package.json");
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ engines: { node: `>=${oldestNode.join(".")}` } });
  });
});
