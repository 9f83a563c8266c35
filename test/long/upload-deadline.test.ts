import { expect, it } from "vitest";
import { makeProject } from "../../packages/core/src/__fixtures__/make-project.js";
import { serverToken, startResultsServer } from "../support/results-server.js";
import { startCli } from "../support/start-cli.js";

const config = `version: 1
project: shop
models: [{ id: m, provider: scripted, script: { otherwise: { text: hello } } }]
suites: [{ name: s, tests: [{ name: a, input: hi, assert: [{ type: contains, value: hello }] }] }]
`;

/** For processes to start and to end, on a slow machine. */
const restMs = 5_000;

it("processes end with the verdict of their tests 30 s after the upload began, whatever the server holds back", async () => {
  const ways = ["hang", "half", "drip-head", "drip-body"] as const;
  const ended = ways.map(async (way) => {
    const server = await startResultsServer();
    server.answer = () => way;
    const cwd = makeProject({ "kindlm.yaml": config });
    const env = { KINDLM_SERVER: server.url, KINDLM_TOKEN: serverToken };
    const { code, stderr, durationMs } = await startCli(["test", "--upload"], { cwd, env }).finished;
    expect([code, stderr], way).toEqual([0, expect.stringContaining(`✗ ${server.url} did not answer within 30 s\n`)]);
    expect(stderr).toContain("Kept for later: kindlm upload --pending\n");
    expect(durationMs, way).toBeLessThan(31_000 + restMs);
  });
  await Promise.all(ended);
});
