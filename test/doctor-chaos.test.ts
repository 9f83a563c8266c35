import { describe, expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { runCli, stable } from "./support/run-cli.js";
import { startServer } from "../packages/core/src/__fixtures__/start-server.js";

const config = (baseUrl: string): string => `version: 1
providers:
  acme: { type: openai, base_url: "${baseUrl}" }
models:
  - { id: main, provider: acme, model: m, fallback: [spare], allow_fallback: true }
  - { id: spare, provider: anthropic, model: claude-sonnet-4-5 }
defaults: { models: [main], concurrency: 4 }
gates: { errored: 0, latency_p95: 8s }
suites:
  - name: s
    tests:
      - name: t
        rows: [${Array.from({ length: 30 }, (_, index) => `{ id: c${index} }`).join(", ")}]
        input: hello {{id}}
        assert: [{ type: contains, value: hello }]
`;

describe("kindlm doctor --chaos", () => {
  it("reports how the config would fare, and sends nothing", async () => {
    const server = await startServer((_request, response) => void response.end());
    const cwd = makeProject({ "kindlm.yaml": config(server.url) });
    const ran = await runCli(["doctor", "--chaos"], { cwd });
    expect(server.connections()).toBe(0);
    await server.close();
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    await expect(stable(ran.stdout, cwd)).toMatchFileSnapshot("__golden__/chaos.txt");
  });

  it("is there for programs, and for those who want all of it", async () => {
    const cwd = makeProject({ "kindlm.yaml": config("http://127.0.0.1:9") });
    const ran = await runCli(["doctor", "--chaos", "--json"], { cwd });
    const report = JSON.parse(ran.stdout) as { outcomes: unknown[] };
    expect(report).toMatchObject({ cases: 30, totalCases: 30 });
    expect(report.outcomes[0]).toMatchObject({ scenario: "calm", provider: "acme", answered: 30, exitCode: 0 });
    const verbose = await runCli(["doctor", "--chaos", "--verbose"], { cwd });
    expect(verbose.stdout).toContain("errors: 30 PROVIDER_API_ERROR");
  });

  it("says what is wrong with the config, and may be cut off", async () => {
    const cwd = makeProject({ "kindlm.yaml": "version: 1\nsuites: 3\n" });
    const ran = await runCli(["doctor", "--chaos"], { cwd });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain("✗ Config error");
    const good = makeProject({ "kindlm.yaml": config("http://127.0.0.1:9") });
    const cut = await runCli(["doctor", "--chaos"], { cwd: good, readerLeavesAfter: 60 });
    expect(cut).toMatchObject({ code: 0, stderr: "" });
    expect(cut.stdout).toMatch(/^Rehearsal of 30 cases: .{37}$/);
  });
});
