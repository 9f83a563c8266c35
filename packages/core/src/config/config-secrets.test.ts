import { describe, expect, it } from "vitest";
import { minimalConfig } from "../__fixtures__/config-project.js";
import { makeProject } from "../__fixtures__/make-project.js";
import { createRedactor } from "../redaction/redactor.js";
import { loadConfig } from "./load-config.js";
import { maskSecrets } from "./source/secret-literals.js";

describe("the redactor", () => {
  it("knows the secrets of .env files and of the config before an error is told", async () => {
    const yaml = `version: 1
providers:
  a: { type: openai, base_url: "http://me:in-the-address@x", api_key_env: NAMED, headers: { x-key: "in-the-header", x-a: "\${USED}" } }
models: [{ id: m, provider: nowhere, model: x }]
suites: []
`;
    const dotenv = "A_TOKEN=in-dot-env\nNAMED=named-in-config\nUSED=used-in-config\n";
    const cwd = makeProject({ "kindlm.yaml": yaml, ".env": dotenv });
    const redactor = createRedactor([]);
    const loaded = await loadConfig({ paths: [], ci: false }, { env: {}, cwd, redactor });
    expect(loaded.success).toBe(false);
    for (const secret of ["in-the-address", "in-the-header", "in-dot-env", "named-in-config", "used-in-config"]) {
      expect(redactor.redact(secret)).toBe("[redacted]");
    }
  });

  it("knows them when another .env file cannot be read", async () => {
    const yaml = minimalConfig().replace("version: 1", "version: 1\nx: { headers: { token: in-the-header } }");
    const cwd = makeProject({ "kindlm.yaml": yaml, ".env": new Uint8Array([0xff, 0xfe]) });
    const redactor = createRedactor([]);
    expect(await loadConfig({ paths: [], ci: false }, { env: {}, cwd, redactor })).toMatchObject({ success: false });
    expect(redactor.redact("in-the-header")).toBe("[redacted]");
  });
});

describe("maskSecrets", () => {
  it.each([
    ["key: sk-abcdefgh12345678", "key: *******************"],
    ["api_key: hunter2 # mine", "api_key: ******* # mine"],
    ["api_key_env: OPENAI_API_KEY", "api_key_env: OPENAI_API_KEY"],
    ["max_tokens: 100", "max_tokens: 100"],
    ['authorization: "Bearer ${TOKEN}"', 'authorization: "Bearer ${TOKEN}"'],
    ["authorization: Bearer abc", "authorization: **********"],
  ])("masks %j, character for character", (text, expected) => {
    const masked = maskSecrets(text);
    expect(masked.length).toBe(text.length);
    expect(masked).toBe(expected);
  });
});
