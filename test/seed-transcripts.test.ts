import { describe, expect, it, onTestFinished } from "vitest";
import { errorBody } from "../packages/core/src/__fixtures__/provider-replies.js";
import { sendJson, startServer } from "../packages/core/src/__fixtures__/start-server.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { runCli, stable } from "./support/run-cli.js";

/** The suites of the specification's example: A has 3 tests, B cannot run, C has 2. */
const threeSuites = `version: 1
models:
  - id: offline
    provider: scripted
    script:
      rules: [{ when: { user: slow }, reply: { hang: true } }]
      otherwise: { text: hello }
timeouts: { request: 50ms }
retry: disabled
suites:
  - name: Suite A
    tests:
      - { name: Test 1, input: hi, assert: [{ type: contains, value: hello }] }
      - { name: Test 2, input: hi, assert: [{ type: contains, value: goodbye }] }
      - { name: Test 3, input: slow, assert: [{ type: contains, value: hello }] }
  - name: Suite B
    system_prompt_file: prompts/missing.txt
    tests:
      - { name: Test 1, input: hi, assert: [{ type: contains, value: hello }] }
      - { name: Test 2, input: hi, assert: [{ type: contains, value: hello }] }
  - name: Suite C
    tests:
      - { name: Test 1, input: hi, assert: [{ type: contains, value: hello }] }
      - { name: Test 2, input: hi, assert: [{ type: contains, value: hello }] }
`;

const oneSuite = (assertion: string) => `version: 1
project: acme

models:
  - id: offline
    provider: scripted
    script: { otherwise: { text: hello } }

defaults:
  runs: 1

suites:
  - name: order-agent
    system_prompt: Be kind.
    tools:
      - name: lookup_order
        parameters: { type: object }
        default: { return: ok }
    tests:
      - name: happy-path
        input: Where is order ORD-1?
        assert:
          ${assertion}
`;

const live = (url: string) => `version: 1
providers:
  openai: { base_url: ${url} }
models:
  - { id: gpt, provider: openai, model: gpt-4.1-mini }
retry: disabled
suites:
  - name: order-agent
    tests:
      - { name: happy-path, input: hi, assert: [{ type: contains, value: hello }] }
`;

describe("the examples of the error handling specification", () => {
  it("three suites: 3 passed, 1 failed, 1 errored, 2 skipped, exit code 1", async () => {
    const cwd = makeProject({ "kindlm.yaml": threeSuites });
    const ran = await runCli(["test"], { cwd });
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain("Summary: 3 passed, 1 failed, 1 errored, 2 skipped (Suite B)\nExit code: 1\n");
    await expect(stable(ran.stdout, cwd)).toMatchFileSnapshot("__golden__/three-suites.txt");
  });

  it("an unknown assertion type at line 23", async () => {
    const cwd = makeProject({ "kindlm.yaml": oneSuite("- type: tool_caled\n            tool: lookup_order") });
    const ran = await runCli(["test"], { cwd });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(
      '✗ Config error: Unknown assertion type "tool_caled" at line 23\n' +
        '  Did you mean "tool_called"? See: https://kindlm.com/docs/assertions\n' +
        "  kindlm.yaml:23:19\n",
    );
    await expect(ran.stderr).toMatchFileSnapshot("__golden__/unknown-assertion.txt");
  });

  it("an API key that is missing", async () => {
    // Nothing is sent anywhere: without a key no request can work.
    const cwd = makeProject({ "kindlm.yaml": live("https://api.openai.com/v1") });
    const ran = await runCli(["test"], { cwd });
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/^! 1 {2}OpenAI API key is invalid or missing +1 case\n/m);
    expect(ran.stdout).toContain("Set OPENAI_API_KEY in your environment or .env file\n");
    await expect(stable(ran.stdout, cwd)).toMatchFileSnapshot("__golden__/auth.txt");
  });

  it("a rate limit", async () => {
    const server = await startServer((_request, response) =>
      sendJson(response, 429, errorBody("openai", "rate_limit_exceeded", "Slow down"), { "retry-after": "30" }),
    );
    onTestFinished(() => server.close());
    const cwd = makeProject({ "kindlm.yaml": live(`${server.url}/v1`) });
    const ran = await runCli(["test"], { cwd, env: { OPENAI_API_KEY: "sk-test-0123456789abcdef" } });
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/^! 1 {2}OpenAI rate limit hit\. Retry after 30 seconds\. +1 case\n/m);
    expect(ran.stdout).toContain("Reduce concurrency with --concurrency 1 or add retry config\n");
    await expect(stable(ran.stdout, cwd)).toMatchFileSnapshot("__golden__/rate-limit.txt");
  });

  it("a schema file that is missing", async () => {
    const cwd = makeProject({ "kindlm.yaml": oneSuite("- { type: schema, schema_file: schemas/order.json }") });
    const ran = await runCli(["test"], { cwd });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(
      '✗ Schema file not found: schemas/order.json\n  Referenced in suite "order-agent", test "happy-path"\n',
    );
    await expect(ran.stderr).toMatchFileSnapshot("__golden__/schema-file.txt");
  });

  it("a baseline that was never set", async () => {
    const ran = await runCli(["explain", "BASELINE_NOT_FOUND"], { cwd: makeProject({}) });
    expect(ran.code).toBe(0);
    expect(ran.stdout).toContain('✗ Baseline not found for suite "refund-agent"\n');
    expect(ran.stdout).toContain("Run: kindlm baseline set\n");
    await expect(ran.stdout).toMatchFileSnapshot("__golden__/baseline.txt");
  });

  it("in color, the first line bold and red", async () => {
    const cwd = makeProject({ "kindlm.yaml": oneSuite("- type: tool_caled") });
    const ran = await runCli(["test"], { cwd, env: { FORCE_COLOR: "1" } });
    await expect(ran.stderr).toMatchFileSnapshot("__golden__/unknown-assertion-colour.txt");
  });
});
