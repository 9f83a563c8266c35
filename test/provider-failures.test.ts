import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createManualClock } from "../packages/core/src/__fixtures__/manual-clock.js";
import { startMisbehavingServer, unresolvableUrl, type Behaviour } from "./support/misbehaving-server.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { runCli } from "./support/run-cli.js";
import { refusedUrl } from "../packages/core/src/__fixtures__/start-server.js";
import { whileAdvancing } from "./support/while-advancing.js";

interface Case {
  behaviour: Behaviour;
  status: "passed" | "errored";
  code?: string;
  requests: number;
  /** What the user reads. */
  words: string[];
}

const key = "sk-test-0123456789abcdef0123456789";

/** For servers that do not answer; those that do have all the time that they need. */
const shortTimeouts = "timeouts: { connect: 400ms, headers: 400ms, idle: 400ms, request: 600ms }\n";

const config = (baseUrl: string, provider = "openai", timeouts = "") => `version: 1
providers:
  ${provider}: { base_url: ${baseUrl} }
models:
  - { id: m, provider: ${provider}, model: model-1 }
# The numbers of the default preset, a hundred times as fast.
retry: { initial_delay: 10ms, max_delay: 300ms }
${timeouts}suites:
  - name: s
    tools:
      - name: lookup_order
        parameters: { type: object, properties: { order_id: { type: string } }, required: [order_id] }
        default: { return: { status: delivered } }
    tests:
      - name: t
        input: Where is order ORD-1?
        assert: [{ type: contains, value: delivered }]
`;

interface Report {
  summary: { requests: number; retries: number };
  suites: { tests: { status: string; error: { code: string; message: string } | null }[] }[];
}

async function run(yaml: string) {
  const cwd = makeProject({ "kindlm.yaml": yaml });
  const env = { OPENAI_API_KEY: key, ANTHROPIC_API_KEY: key };
  const clock = createManualClock({ start: Date.now() });
  const running = runCli(["test", "--reporter", "pretty", "--reporter", "json=report.json"], { cwd, env, clock });
  const ran = await whileAdvancing(clock, 100, running);
  const report = JSON.parse(readFileSync(join(cwd, "report.json"), "utf8")) as Report;
  return { ran, report, test: report.suites[0]?.tests[0] };
}

const retried = 3;
const table: Case[] = [
  { behaviour: "tool-call-then-text", status: "passed", requests: 2, words: ["1 passed, 0 failed"] },
  {
    behaviour: "401",
    status: "errored",
    code: "PROVIDER_AUTH_ERROR",
    requests: 1,
    words: ["! 1  OpenAI API key is invalid or missing", "Set OPENAI_API_KEY in your environment or .env file"],
  },
  {
    behaviour: "403",
    status: "errored",
    code: "PROVIDER_AUTH_ERROR",
    requests: 1,
    words: ["OpenAI refused access (403)"],
  },
  { behaviour: "429-then-well", status: "passed", requests: 2, words: ["1 passed, 0 failed"] },
  {
    behaviour: "429-for-ever",
    status: "errored",
    code: "PROVIDER_RATE_LIMIT",
    requests: retried,
    words: ["! 1  OpenAI rate limit hit. Retry after 1 second", "Reduce concurrency with --concurrency 1"],
  },
  { behaviour: "429-quota", status: "errored", code: "PROVIDER_API_ERROR", requests: 1, words: ["quota"] },
  { behaviour: "400", status: "errored", code: "PROVIDER_API_ERROR", requests: 1, words: ["OpenAI returned 400"] },
  { behaviour: "404", status: "errored", code: "PROVIDER_API_ERROR", requests: 1, words: ["OpenAI returned 404"] },
  { behaviour: "408", status: "errored", code: "PROVIDER_TIMEOUT", requests: retried, words: ["OpenAI returned 408"] },
  { behaviour: "500", status: "errored", code: "PROVIDER_API_ERROR", requests: 1, words: ["OpenAI returned 500"] },
  {
    behaviour: "503",
    status: "errored",
    code: "PROVIDER_API_ERROR",
    requests: retried,
    words: ["OpenAI returned 503"],
  },
  {
    behaviour: "529",
    status: "errored",
    code: "PROVIDER_API_ERROR",
    requests: retried,
    words: ["OpenAI returned 529"],
  },
  { behaviour: "not-json", status: "errored", code: "PROVIDER_API_ERROR", requests: 1, words: ["JSON"] },
  { behaviour: "no-choice", status: "errored", code: "PROVIDER_API_ERROR", requests: 1, words: ["choice"] },
  {
    behaviour: "truncated-body",
    status: "errored",
    code: "PROVIDER_NETWORK_ERROR",
    requests: retried,
    words: ["OpenAI broke off its answer"],
  },
  {
    behaviour: "reset",
    status: "errored",
    code: "PROVIDER_NETWORK_ERROR",
    requests: retried,
    words: ["Failed to connect to OpenAI"],
  },
  {
    behaviour: "never-answers",
    status: "errored",
    code: "PROVIDER_TIMEOUT",
    requests: retried,
    words: ["OpenAI request timed out"],
  },
  {
    behaviour: "stalled-body",
    status: "errored",
    code: "PROVIDER_TIMEOUT",
    requests: retried,
    words: ["OpenAI request timed out"],
  },
];

describe("a provider that misbehaves", () => {
  it.concurrent.for(table)("$behaviour: $status, $requests requests", async (row, { onTestFinished }) => {
    const server = await startMisbehavingServer(row.behaviour, "openai");
    onTestFinished(() => server.close());
    const timeouts = /^(?:never-answers|stalled-body)$/.test(row.behaviour) ? shortTimeouts : "";
    const { ran, report, test } = await run(config(server.baseUrl, "openai", timeouts));
    expect({ status: test?.status, code: test?.error?.code }).toEqual({ status: row.status, code: row.code });
    expect(ran.code).toBe(row.status === "passed" ? 0 : 1);
    expect(server.requests).toHaveLength(row.requests);
    expect(report.summary.requests).toBe(row.requests);
    for (const words of row.words) expect(ran.stdout).toContain(words);
    expect(ran.stdout + ran.stderr).not.toContain(key);
  });
});

describe("a provider that cannot be reached", () => {
  it.concurrent.each([
    ["an unknown host", () => Promise.resolve(`${unresolvableUrl}/v1`)],
    ["a closed port", async () => `${await refusedUrl()}/v1`],
  ])("%s is a network error after three attempts", async (_name, urlOf) => {
    const { ran, report, test } = await run(config(await urlOf()));
    expect(test).toMatchObject({ status: "errored", error: { code: "PROVIDER_NETWORK_ERROR" } });
    expect(report.summary).toMatchObject({ requests: 3, retries: 2 });
    expect(ran.stdout).toContain("Failed to connect to OpenAI");
    expect(ran.code).toBe(1);
  });
});

describe("the messages API of Anthropic", () => {
  it.concurrent.for([
    ["tool-call-then-text", "passed", undefined, 2],
    ["401", "errored", "PROVIDER_AUTH_ERROR", 1],
    ["529", "errored", "PROVIDER_API_ERROR", 3],
  ] as const)("%s", async ([behaviour, status, code, requests], { onTestFinished }) => {
    const server = await startMisbehavingServer(behaviour, "anthropic");
    onTestFinished(() => server.close());
    const { test } = await run(config(server.baseUrl, "anthropic"));
    expect({ status: test?.status, code: test?.error?.code }).toEqual({ status, code });
    expect(server.requests).toHaveLength(requests);
    expect(server.requests[0]?.headers["x-api-key"]).toBe(key);
  });
});

describe("a server of one's own", () => {
  it("needs no key, and is called by the name that the config gives it", async ({ onTestFinished }) => {
    const server = await startMisbehavingServer("500", "openai");
    onTestFinished(() => server.close());
    const { ran } = await run(config(server.baseUrl, "local").replace("{ base_url", "{ type: openai, base_url"));
    expect(ran.stdout).toContain("local returned 500");
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
  });
});
