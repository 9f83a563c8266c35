import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeProject } from "../__fixtures__/make-project.js";
import { chatCompletion } from "../__fixtures__/provider-replies.js";
import { createManualClock } from "../__fixtures__/manual-clock.js";
import type { RunEvent } from "../engine/run-event.js";
import type { TestResult } from "../engine/run-result.js";
import type { HttpReply, HttpRequest, HttpTransport } from "../providers/http/transport.js";
import { success } from "../result.js";
import type { RunTestsOptions } from "../plan/run-options.js";
import { runTests } from "../commands/run-tests.js";
import { createSystemClock, type Clock } from "../values/clock.js";

const model = `version: 1
providers: { local: { type: openai, base_url: "http://model/v1", api_key_env: LOCAL_KEY } }
models: [{ id: m, provider: local, model: m-1 }]
`;

/** A world in which everything takes as long as it says, so that recordings have no other times than these. */
const still: Clock = { ...createSystemClock(), monotonic: () => 0, now: () => 0 };

function transportOf(
  answer: (request: HttpRequest) => Promise<Partial<HttpReply>> | Partial<HttpReply>,
): HttpTransport {
  return {
    send: async (request) => success({ status: 200, headers: {}, body: "", latencyMs: 7, ...(await answer(request)) }),
    close: async () => {},
  };
}

const untouched = transportOf(({ url }) => {
  throw new Error(`a replay asked ${url}`);
});

async function run(cwd: string, options: Omit<RunTestsOptions, "paths">, http: HttpTransport, clock: Clock = still) {
  const events: RunEvent[] = [];
  const env = options.cassette === "replay" ? {} : { LOCAL_KEY: "a-secret-key" };
  const ran = await runTests(
    { paths: [], ...options },
    { env, cwd, http, clock, onEvent: (event) => events.push(event) },
  );
  if (!ran.success) throw new Error(ran.error.message);
  const tests = ran.data.suites.flatMap((suite): readonly TestResult[] => suite.tests);
  return { result: ran.data, tests, events };
}

function filesIn(cwd: string): Readonly<Record<string, string>> {
  const folder = join(cwd, ".kindlm", "cassettes");
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.includes("."));
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

interface Chat {
  messages: { role: string; content: string | null }[];
}

/** Two calls side by side, then an answer; each takes another number of turns of the event loop. */
const busy = transportOf(async ({ url, body = "" }) => {
  const asked = body + url;
  for (let turns = asked.length % 7; turns >= 0; turns -= 1) await new Promise((resolve) => setImmediate(resolve));
  if (!url.startsWith("http://model")) return { body: JSON.stringify({ stock: url.at(-1) }) };
  const { messages } = JSON.parse(body) as Chat;
  const calls = ["1", "2"].map((id) => ({ id: `c${id}`, tool: "stock", args: { id } }));
  const isAnswer = messages.some(({ role }) => role === "tool");
  return { body: JSON.stringify(chatCompletion(isAnswer ? { text: "done" } : { toolCalls: calls })) };
});

const shop = `${model}suites:
  - name: shop
    tools:
      - { name: stock, url: "http://stock/{{args.id}}", parameters: { type: object }, attributes: { no_effect: true } }
    tests:
      - name: stock
        input: "Is {{row.item}} there?"
        runs: 3
        rows: [${Array.from({ length: 6 }, (_, index) => `{ id: r${index}, item: ${"x".repeat(index + 1)} }`).join(", ")}]
        assert: [{ type: contains, value: done }]
`;

describe("a recorded run", () => {
  it("is the same byte for byte with one trial at a time and with fifty, and so is its replay", async () => {
    const [one, fifty] = [1, 50].map((concurrency) => ({ concurrency, cwd: makeProject({ "kindlm.yaml": shop }) }));
    if (one === undefined || fifty === undefined) throw new Error("no projects");
    for (const { concurrency, cwd } of [one, fifty]) {
      const { result } = await run(cwd, { concurrency, cassette: "record" }, busy);
      expect(result).toMatchObject({ verdict: "passed", summary: { requests: 36 } });
    }
    expect(filesIn(fifty.cwd)).toEqual(filesIn(one.cwd));
    expect(filesIn(one.cwd)["shop/stock.jsonl"]?.match(/^\{"call"/gm)).toHaveLength(36);
    for (const concurrency of [1, 50]) {
      const { result } = await run(one.cwd, { concurrency, cassette: "replay" }, untouched);
      expect(result).toMatchObject({
        verdict: "passed",
        summary: { requests: 36, replayed: 36 },
        run: { replayed: true },
      });
    }
    expect(filesIn(fifty.cwd)).toEqual(filesIn(one.cwd));
  });

  it("recorded again has recordings of what ran, and what it had of the rest", async () => {
    const cwd = makeProject({ "kindlm.yaml": shop });
    await run(cwd, { cassette: "record" }, busy);
    const before = filesIn(cwd)["shop/stock.jsonl"] ?? "";
    const filters = { tests: ["stock[r0]"] };
    await run(cwd, { cassette: "record", runs: 1, filters }, busy);
    const after = filesIn(cwd)["shop/stock.jsonl"] ?? "";
    const entriesOf = (text: string, id: string) =>
      text.split("\n").filter((line) => line.includes(`"case":"shop/stock[${id}]@m"`));
    expect([entriesOf(before, "r0").length, entriesOf(after, "r0").length]).toEqual([12, 4]);
    expect(entriesOf(after, "r1")).toEqual(entriesOf(before, "r1"));
  });
});

const hello = `${model}suites: [{ name: s, tests: [{ name: t, input: hi, assert: [{ type: latency, max: 1s }] }] }]\n`;
const refusal = { status: 429, headers: { "retry-after": "20" }, body: "slow" };

describe("waiting", () => {
  it("for a retry is left out of a replay, but not the attempt before it", async () => {
    const cwd = makeProject({ "kindlm.yaml": hello });
    const replies: Partial<HttpReply>[] = [refusal, { body: JSON.stringify(chatCompletion({ text: "hello" })) }];
    const live = createManualClock({ jump: true });
    await run(
      cwd,
      { cassette: "record" },
      transportOf(() => replies.shift() ?? {}),
      live,
    );
    expect(live.sleeps).toContain(20_000);
    const clock = createManualClock({ jump: true });
    const { tests, events } = await run(cwd, { cassette: "replay" }, untouched, clock);
    expect(clock.sleeps).toEqual([]);
    expect(tests).toMatchObject([{ status: "passed" }]);
    const attempts = events.flatMap((event) => (event.type === "attempt:end" ? [event.error?.code ?? "ok"] : []));
    expect(attempts).toEqual(["PROVIDER_RATE_LIMIT", "ok"]);
  });

  it("as long as it once took is there for those who want it", async () => {
    const cwd = makeProject({ "kindlm.yaml": hello });
    const answer = { body: JSON.stringify(chatCompletion({ text: "hello" })), latencyMs: 450 };
    await run(
      cwd,
      { cassette: "record" },
      transportOf(() => answer),
    );
    const clock = createManualClock({ jump: true });
    const { tests } = await run(cwd, { cassette: "replay", cassetteLatency: "recorded" }, untouched, clock);
    expect(clock.sleeps).toEqual([450]);
    expect(tests).toMatchObject([{ status: "passed", latencyMs: 450 }]);
  });

  it("is judged by assertions as it was, so that the verdict is", async () => {
    const cwd = makeProject({ "kindlm.yaml": hello });
    const answer = { body: JSON.stringify(chatCompletion({ text: "hello" })), latencyMs: 1_000.4 };
    const recorded = await run(
      cwd,
      { cassette: "record" },
      transportOf(() => answer),
    );
    const replayed = await run(cwd, { cassette: "replay" }, untouched);
    for (const { tests } of [recorded, replayed])
      expect(tests).toMatchObject([{ status: "failed", latencyMs: 1_000.4 }]);
  });
});

it("a replay needs no key of any provider, and none finds its way to the network", async () => {
  const types = ["openai", "anthropic", "gemini", "mistral", "cohere", "bedrock"];
  const suite = `suites: [{ name: s, tests: [{ name: t, input: hi, models: [${types.join(", ")}], assert: [{ type: turns, max: 1 }] }] }]`;
  const own = types.map((type) => `{ id: ${type}, provider: ${type}, model: x }`).join(", ");
  const region = "providers: { bedrock: { type: bedrock, region: eu-west-1 } }\n";
  const cwd = makeProject({ "kindlm.yaml": `version: 1\n${region}models: [${own}]\n${suite}\n` });
  const { tests } = await run(cwd, { cassette: "replay" }, untouched);
  expect(tests.map((test) => test.status === "errored" && test.error.code)).toEqual(
    types.map(() => "PROVIDER_CASSETTE_MISS"),
  );
});

it("a trial that was interrupted takes the place of no whole one, and with auto what it has is kept", async () => {
  const asking = (question: string): string =>
    shop.replace(/ {8}runs: 3\n.*\n/, "").replace("Is {{row.item}} there?", question);
  const cwd = makeProject({ "kindlm.yaml": asking("Is it there?") });
  await run(cwd, { cassette: "record" }, busy);
  const whole = filesIn(cwd);
  const interrupted = async (cassette: "record" | "auto"): Promise<void> => {
    const stop = new AbortController();
    const http = transportOf(({ url }) => {
      if (url.startsWith("http://stock")) stop.abort();
      return { body: JSON.stringify(chatCompletion({ toolCalls: [{ id: "n", tool: "stock", args: { id: "9" } }] })) };
    });
    const world = { env: { LOCAL_KEY: "a-secret-key" }, cwd, http, clock: still, signal: stop.signal };
    const ran = await runTests({ paths: [], cassette }, world);
    expect(ran).toMatchObject({ data: { summary: { errored: 1 } } });
  };
  await interrupted("record");
  expect(filesIn(cwd)).toEqual(whole);
  writeFileSync(join(cwd, "kindlm.yaml"), asking("Is that there?"));
  await interrupted("auto");
  const { "shop/stock.jsonl": kept = "" } = filesIn(cwd);
  expect(kept).toContain("Is that there?");
  expect(kept).toContain("Is it there?");
  // Once it went through, nobody needs what it does not ask any more.
  await run(cwd, { cassette: "auto" }, busy);
  expect(filesIn(cwd)["shop/stock.jsonl"]).not.toContain("Is it there?");
});
