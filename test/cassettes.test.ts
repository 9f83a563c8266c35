import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  casesOf,
  cassettesIn,
  configTop,
  runWith,
  secretKey,
  serve,
  steadyText,
  type CassetteReport,
} from "./support/cassette-project.js";
import { createManualClock } from "../packages/core/src/__fixtures__/manual-clock.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { reportErrors } from "./support/report-errors.js";
import { chatCompletion } from "../packages/core/src/__fixtures__/provider-replies.js";
import { beginStream, sendStream, streamFrames } from "./support/provider-streams.js";
import { runCli } from "./support/run-cli.js";
import { runProcess } from "./support/start-cli.js";
import { sendJson, type Handler, type ReceivedRequest } from "../packages/core/src/__fixtures__/start-server.js";

function lastMessage({ json }: ReceivedRequest): { role: string; content: string } {
  return (json as { messages: { role: string; content: string }[] }).messages.at(-1) ?? { role: "", content: "" };
}

/** Asks the tool once, then says what it answered. */
const looksUp: Handler = (request, response) => {
  const { role, content } = lastMessage(request);
  const call = { id: "c1", tool: "lookup", args: { id: "ORD-1" } };
  const answer = role === "tool" ? { text: `It is ${content}` } : { toolCalls: [call] };
  sendJson(response, 200, chatCompletion(answer), { "x-request-id": `req_${request.number}`, date: "today" });
};

/** Says how many answers it has given. */
const counts: Handler = ({ number }, response) => sendJson(response, 200, chatCompletion({ text: `answer ${number}` }));

const suite = (test: string, more = ""): string => `suites:
  - name: orders
    system_prompt: You help.
${more}    tests:
      - name: t
        input: hello
        ${test}
`;

const lookup =
  "    tools: [{ name: lookup, parameters: { type: object }, responses: [{ return: { status: delivered } }] }]\n";
const anything = "assert: [{ type: length, min: 1 }]";

describe("a run that was recorded", () => {
  it("replays without server and key to the same report", async () => {
    const server = await serve(looksUp);
    const gates = "gates: { latency_p95: 1h, cost: 1 }\nlimits: { max_cost: 0.01 }\n";
    const test = `runs: 3
        assert:
          - { type: tool_called, tool: lookup, args: { id: ORD-1 } }
          - { type: contains, value: delivered }
          - { type: cost, max: 1 }`;
    const cwd = makeProject({ "kindlm.yaml": configTop(server.url) + gates + suite(test, lookup) });
    const recorded = await runWith("record", cwd);
    expect(recorded).toMatchObject({ code: 0, report: { verdict: "passed", summary: { requests: 6 } } });
    expect(recorded.report.run).not.toHaveProperty("replayed");
    expect(server.requests).toHaveLength(6);
    const kept = cassettesIn(cwd);
    expect(Object.keys(kept)).toEqual(["orders/t.jsonl"]);

    await server.close();
    const replayed = await runWith("replay", cwd);
    expect(replayed.code).toBe(0);
    expect(steadyText(replayed)).toBe(steadyText(recorded));
    expect(cassettesIn(cwd)).toEqual(kept);
    expect(server.requests).toHaveLength(6);
    expect(reportErrors(replayed.report)).toEqual([]);
    // What it cost and how long it took is as it was, and marked as such.
    expect(replayed.report).toMatchObject({ run: { replayed: true }, summary: { replayed: 6 } });
    expect(casesOf(replayed)[0]?.costUsd).toBe(casesOf(recorded)[0]?.costUsd);
    const latencies = (run: typeof recorded) =>
      casesOf(run).flatMap(({ trials }) => trials.flatMap(({ turns }) => turns.map(({ latencyMs }) => latencyMs)));
    expect(latencies(replayed)).toEqual(latencies(recorded));
    expect(replayed.report.gates.find(({ name }) => name === "latency_p95")).toEqual({
      name: "latency_p95",
      scope: "run",
      pass: true,
      limit: 3_600_000,
      actual: null,
      message: "latency_p95 is not evaluated: 6 requests replayed, so the current latency is unknown",
      evaluated: false,
    });
  });

  it("does not trip max_cost when it is replayed, since nothing is paid", async () => {
    const server = await serve(counts);
    const rows = `rows: [{ id: a }, { id: b }, { id: c }]\n        ${anything}`;
    const cwd = makeProject({ "kindlm.yaml": configTop(server.url) + suite(rows) });
    expect(await runWith("record", cwd)).toMatchObject({ code: 0 });
    const replayed = await runWith("replay", cwd, "--max-cost", "0.0000001", "--concurrency", "1");
    expect(replayed).toMatchObject({ code: 0, report: { summary: { passed: 3, skipped: 0 } } });
    // The same limit stops a run that has to pay.
    const again = await runWith("record", cwd, "--max-cost", "0.0000001", "--concurrency", "1");
    expect(again).toMatchObject({ code: 1, report: { summary: { passed: 1, skipped: 2 } } });
  });

  it("reports a changed prompt in one miss, by the place where it differs", async () => {
    const server = await serve(counts);
    const file = (system: string): string =>
      configTop(server.url) +
      suite(anything) +
      suite(anything).replace("suites:\n", "").replace("orders", "others").replace("You help.", system);
    const cwd = makeProject({ "kindlm.yaml": file("You are a friendly agent of the shop and help.") });
    expect(await runWith("record", cwd)).toMatchObject({ code: 0 });
    writeFileSync(join(cwd, "kindlm.yaml"), file("You are a friendly agent of the shop and listen."));
    const replayed = await runWith("replay", cwd);
    expect(replayed).toMatchObject({ code: 1, report: { summary: { passed: 1, errored: 1, requests: 1 } } });
    const errors = casesOf(replayed).flatMap(({ error }) => (error === null ? [] : [error]));
    expect(errors).toEqual([
      expect.objectContaining({
        code: "PROVIDER_CASSETTE_MISS",
        message:
          "No recording of this request to local (m-1): the nearest, turn 1 of trial 1, differs at " +
          'body.messages[0].content: recorded "…ent of the shop and help.", now "…ent of the shop and listen."',
      }),
    ]);
    expect(errors[0]?.details).toMatchObject({ differsAt: "body.messages[0].content", sent: false });
    expect(server.requests).toHaveLength(2);
  });

  it("keeps an answer of its own for each trial of one prompt, and for each time that it is asked", async () => {
    const server = await serve(counts);
    const cwd = makeProject({ "kindlm.yaml": configTop(server.url) + suite(`runs: 4\n        ${anything}`) });
    const recorded = await runWith("record", cwd);
    const outputs = (run: typeof recorded) => casesOf(run)[0]?.trials.map(({ output }) => output);
    expect(outputs(recorded)?.toSorted()).toEqual(["answer 1", "answer 2", "answer 3", "answer 4"]);
    expect(outputs(await runWith("replay", cwd))).toEqual(outputs(recorded));
    const more = await runWith("replay", cwd, "--runs", "5");
    expect(casesOf(more)[0]?.error?.message).toMatch(/in trial 5: only turn 1 of trial \d has it$/);
  });
});

describe("failures", () => {
  const retry = "retry: { initial_delay: 10ms, max_attempts: 3 }\n";

  it("are replayed attempt by attempt", async () => {
    const handlers: Handler[] = [
      (_request, response) => sendJson(response, 429, { error: { message: "slow down" } }, { "retry-after-ms": "20" }),
      (_request, response) => void response.socket?.resetAndDestroy(),
      (_request, response) => sendJson(response, 200, chatCompletion({ text: "at last" })),
    ];
    const server = await serve((request, response) => handlers[request.number - 1]?.(request, response));
    const cwd = makeProject({ "kindlm.yaml": configTop(server.url) + retry + suite(anything) });
    const recorded = await runWith("record", cwd);
    expect(recorded).toMatchObject({ code: 0, report: { summary: { requests: 3, retries: 2 } } });
    await server.close();
    const replayed = await runWith("replay", cwd);
    expect(steadyText(replayed)).toBe(steadyText(recorded));
    expect(casesOf(replayed)[0]?.trials[0]?.turns[0]?.failedAttempts.map(({ code }) => code)).toEqual([
      "PROVIDER_RATE_LIMIT",
      "PROVIDER_NETWORK_ERROR",
    ]);
  });

  it("that ended a trial end it again, timeouts and unreadable bodies too", async () => {
    const clock = createManualClock({ start: Date.now() });
    const server = await serve((request, response) => {
      const { content } = lastMessage(request);
      // Nothing else is under way, so that nothing else is late.
      if (content === "hang") return clock.advance(300);
      if (content === "refuse") return sendJson(response, 400, { error: { message: "no such model" } });
      response.writeHead(200, { "content-type": "application/json" });
      response.end("{ not json");
    });
    const tests = ["hang", "refuse", "garbage"].map(
      (name) => `      - { name: ${name}, input: ${name}, ${anything} }\n`,
    );
    const once = "retry: disabled\ntimeouts: { request: 300ms }\n";
    const cwd = makeProject({
      "kindlm.yaml": `${configTop(server.url)}${once}suites:\n  - name: orders\n    tests:\n${tests.join("")}`,
    });
    const args = ["test", "--cassette", "record", "--concurrency", "1", "--reporter", "json"];
    const ran = await runCli(args, { cwd, env: { LOCAL_KEY: secretKey }, clock });
    await server.close();
    const replayed = await runWith("replay", cwd);
    expect(steadyText(replayed)).toBe(steadyText({ ...ran, report: JSON.parse(ran.stdout) as CassetteReport }));
    expect(casesOf(replayed).map(({ error }) => error?.code)).toEqual([
      "PROVIDER_TIMEOUT",
      "PROVIDER_API_ERROR",
      "PROVIDER_API_ERROR",
    ]);
  });

  it("that may pass are not reused by auto, answers are, and what is left over goes", async () => {
    const server = await serve((request, response) => {
      const { content } = lastMessage(request);
      if (content === "weak" && request.number < 3) return sendJson(response, 500, { error: { message: "down" } });
      sendJson(response, 200, chatCompletion({ text: `answer ${request.number}` }));
    });
    const tests = `suites:
  - name: orders
    tests:
      - { name: strong, input: strong, ${anything} }
      - { name: weak, input: weak, ${anything} }
`;
    const cwd = makeProject({ "kindlm.yaml": configTop(server.url) + tests });
    expect(await runWith("auto", cwd, "--concurrency", "1")).toMatchObject({ report: { summary: { errored: 1 } } });
    expect(cassettesIn(cwd)["orders/weak.jsonl"]).toContain('"status":500');
    const strong = cassettesIn(cwd)["orders/strong.jsonl"];
    const second = await runWith("auto", cwd, "--concurrency", "1");
    expect(second).toMatchObject({ code: 0, report: { summary: { passed: 2, replayed: 1 } } });
    expect(server.requests.map((request) => lastMessage(request).content)).toEqual(["strong", "weak", "weak"]);
    expect(cassettesIn(cwd)["orders/strong.jsonl"]).toBe(strong);
    expect(cassettesIn(cwd)["orders/weak.jsonl"]).not.toContain('"status":500');
    expect(await runWith("auto", cwd)).toMatchObject({ code: 0, report: { summary: { replayed: 2 } } });
    expect(server.requests).toHaveLength(3);
  });
});

describe("streams", () => {
  it("replay in their pieces, with the time to their first token", async () => {
    const server = await serve((_request, response) =>
      sendStream(response, streamFrames("openai", { text: "Grüße aus Köln, piece by piece" })),
    );
    const cwd = makeProject({ "kindlm.yaml": configTop(server.url, ", stream: true") + suite(anything) });
    const recorded = await runWith("record", cwd);
    expect(recorded).toMatchObject({ code: 0 });
    await server.close();
    const replayed = await runWith("replay", cwd);
    expect(steadyText(replayed)).toBe(steadyText(recorded));
    const [before, after] = [recorded, replayed].map((run) => casesOf(run)[0]?.trials[0]?.turns[0]);
    expect(after?.timeToFirstTokenMs).toBe(before?.timeToFirstTokenMs);
    expect(after).toMatchObject({ replayed: true, timeToFirstTokenMs: expect.any(Number) as number });
    // One piece per event, however the network cut them.
    const frames = streamFrames("openai", { text: "Grüße aus Köln, piece by piece" });
    const { pieces } = JSON.parse(cassettesIn(cwd)["orders/t.jsonl"]?.split("\n")[2] ?? "") as { pieces: unknown[][] };
    expect(pieces.map(([, text]) => text)).toEqual(frames);
  });

  it("that broke off break off again, with what had come", async () => {
    const frames = streamFrames("openai", { text: "the beginning and no end" });
    const server = await serve((_request, response) => {
      beginStream(response);
      response.write(frames.slice(0, 3).join(""), () => setImmediate(() => response.destroy()));
    });
    const cwd = makeProject({ "kindlm.yaml": configTop(server.url, ", stream: true") + suite(anything) });
    const recorded = await runWith("record", cwd);
    await server.close();
    const replayed = await runWith("replay", cwd);
    expect(steadyText(replayed)).toBe(steadyText(recorded));
    expect(casesOf(replayed)[0]?.error).toMatchObject({
      code: "PROVIDER_NETWORK_ERROR",
      // Said of what had begun, which must not be made again.
      details: { retryable: false },
    });
  });
});

describe("the files", () => {
  it("hold no secret, wherever the model repeats one", async () => {
    const echo: Handler = (request, response) => {
      const text = `your key is ${secretKey} and sk-anotherOne0123456789abcdef`;
      if (lastMessage(request).content === "stream") sendStream(response, streamFrames("openai", { text }));
      else if (lastMessage(request).content === "fail") sendJson(response, 400, { error: { message: text } });
      else sendJson(response, 200, chatCompletion({ text }), { "set-cookie": secretKey });
    };
    const server = await serve(echo);
    const models = configTop(server.url).replace("}]\n", "}, { id: s, provider: local, model: m-1, stream: true }]\n");
    const test = (input: string, model: string): string =>
      `      - { name: ${input}, input: ${input}, models: [${model}], ${anything} }\n`;
    const tests = [test("plain", "m"), test("fail", "m"), test("stream", "s")].join("");
    const cwd = makeProject({ "kindlm.yaml": `${models}suites:\n  - name: orders\n    tests:\n${tests}` });
    const recorded = await runWith("record", cwd);
    expect(server.requests).toHaveLength(3);
    const files = cassettesIn(cwd);
    expect(Object.keys(files)).toContain("orders/plain.jsonl");
    const text = Object.values(files).join("\n");
    expect(text).not.toContain("canary");
    expect(text).not.toContain("anotherOne");
    expect(files["orders/plain.jsonl"]).toContain("your key is [redacted] and [redacted]");
    // In a stream it comes in pieces that nobody can take out, so that it is not kept at all.
    expect(files).not.toHaveProperty("orders/stream.jsonl");
    expect(recorded.report.warnings).toMatchObject([{ code: "STORE_WRITE_ERROR" }]);
    expect(recorded.stderr).toContain("holds a secret, in pieces, and was not recorded");
    expect(recorded.stderr).not.toContain("canary");
  });

  it("are apart for suites whose names look alike to a file system", async () => {
    const server = await serve(counts);
    const names = ["Orders: a/b", "Orders: a?b", "orders", "ORDERS", "con", "ü", "..", "x".repeat(300)];
    const suites = names.map((name) =>
      suite(anything).replace("suites:\n", "").replace("orders", JSON.stringify(name)),
    );
    const cwd = makeProject({ "kindlm.yaml": `${configTop(server.url)}suites:\n${suites.join("")}` });
    const recorded = await runWith("record", cwd);
    expect(recorded).toMatchObject({ code: 0, report: { summary: { passed: names.length } } });
    const folders = Object.keys(cassettesIn(cwd)).map((name) => name.split("/")[0] ?? "");
    expect(new Set(folders.map((name) => name.toLowerCase())).size).toBe(names.length);
    expect(folders.filter((name) => !/^[a-z0-9][a-z0-9._-]{0,90}$/.test(name))).toEqual([]);
    expect(steadyText(await runWith("replay", cwd))).toBe(steadyText(recorded));
  });

  it("take what two processes write at once", async () => {
    const server = await serve(counts);
    const ids = ["a", "b"];
    const rows = `rows: [${ids.map((id) => `{ id: ${id} }`).join(", ")}]\n        ${anything}`;
    const cwd = makeProject({ "kindlm.yaml": configTop(server.url) + suite(rows) });
    const runs = ids.map((id) => {
      const args = ["test", "--cassette", "record", "-t", `t[${id}]`];
      return runProcess(args, { cwd, env: { LOCAL_KEY: secretKey } });
    });
    expect((await Promise.all(runs)).map(({ code }) => code)).toEqual(ids.map(() => 0));
    await server.close();
    expect(await runWith("replay", cwd)).toMatchObject({ code: 0, report: { summary: { passed: ids.length } } });
    expect(Object.keys(cassettesIn(cwd))).toEqual(["orders/t.jsonl"]);
  });

  it("are read with the line ends of Windows and in any order, and a broken one is named by its line", async () => {
    const server = await serve(looksUp);
    const cwd = makeProject({ "kindlm.yaml": configTop(server.url) + suite(`runs: 2\n        ${anything}`, lookup) });
    expect(await runWith("record", cwd)).toMatchObject({ code: 0 });
    const file = join(cwd, ".kindlm/cassettes/orders/t.jsonl");
    const [header = "", ...lines] = readFileSync(file, "utf8").trim().split("\n");
    writeFileSync(file, `${[header, ...lines.toReversed()].join("\r\n")}\r\n`);
    expect(await runWith("replay", cwd)).toMatchObject({ code: 0 });

    writeFileSync(file, [header, lines[0], "<<<<<<< HEAD", ...lines.slice(1)].join("\n"));
    const [broken] = casesOf(await runWith("replay", cwd));
    expect(broken?.error).toMatchObject({
      code: "STORE_CORRUPT",
      message: "The cassette .kindlm/cassettes/orders/t.jsonl cannot be used: line 3 is a merge conflict marker",
    });

    writeFileSync(file, header.replace('"version":1', '"version":2'));
    const [newer] = casesOf(await runWith("auto", cwd));
    expect(newer?.error?.message).toMatch(/line 1 has version 2, and this KindLM reads version 1. Update KindLM$/);
    expect(readFileSync(file, "utf8")).toContain('"version":2');
  });

  it("that cannot be written cost one warning and no verdict", async () => {
    const server = await serve(counts);
    const tests = ["a", "b", "c"].map((name) => `      - { name: ${name}, input: hi, ${anything} }\n`).join("");
    const config = `${configTop(server.url)}suites:\n  - name: orders\n    tests:\n${tests}`;
    const cwd = makeProject({ "kindlm.yaml": config, ".kindlm/cassettes": "a file where a folder should be" });
    const recorded = await runWith("record", cwd);
    expect(recorded).toMatchObject({ code: 0, report: { summary: { passed: 3 } } });
    expect(recorded.stderr.match(/Cannot write \.kindlm\/cassettes/g)).toHaveLength(1);
    expect(recorded.report.warnings).toMatchObject([{ code: "STORE_WRITE_ERROR" }]);
  });
});

describe("a run that was interrupted", () => {
  it("goes on recording where it is resumed, and replays whole", async () => {
    const interrupt = new AbortController();
    const server = await serve(({ number }, response) => {
      if (number === 4) interrupt.abort();
      else sendJson(response, 200, chatCompletion({ text: `answer ${number}` }));
    });
    const ids = ["a", "b", "c", "d", "e", "f"];
    const rows = `rows: [${ids.map((id) => `{ id: ${id} }`).join(", ")}]\n        ${anything}`;
    const cwd = makeProject({ "kindlm.yaml": configTop(server.url) + suite(rows) });
    const env = { LOCAL_KEY: secretKey };
    const args = ["test", "--cassette", "record", "--concurrency", "1"];
    expect(await runCli(args, { cwd, env, interrupt: interrupt.signal })).toMatchObject({ code: 1 });
    expect(
      Object.values(cassettesIn(cwd))
        .join("")
        .match(/^\{"exchange"/gm),
    ).toHaveLength(3);
    expect(await runCli(["test", "--resume"], { cwd, env })).toMatchObject({ code: 0 });
    expect(server.requests).toHaveLength(7);
    expect(await runWith("replay", cwd)).toMatchObject({ code: 0, report: { summary: { passed: 6, replayed: 6 } } });
  });
});

describe("the mode", () => {
  it("comes from the config, the flag goes before it, and a slip is told", async () => {
    const server = await serve(counts);
    const cwd = makeProject({ "kindlm.yaml": `${configTop(server.url)}cassette: auto\n${suite(anything)}` });
    const env = { LOCAL_KEY: secretKey };
    expect(await runCli(["test"], { cwd, env })).toMatchObject({ code: 0 });
    expect(Object.keys(cassettesIn(cwd))).toEqual(["orders/t.jsonl"]);
    expect(await runCli(["test"], { cwd, env })).toMatchObject({ code: 0 });
    expect(server.requests).toHaveLength(1);
    expect(await runWith("off", cwd)).toMatchObject({ code: 0 });
    expect(server.requests).toHaveLength(2);
    const slip = await runCli(["test", "--cassette", "reply"], { cwd, env });
    expect(slip.code).toBe(1);
    expect(slip.stderr).toBe('✗ --cassette has no "reply"\n  Did you mean "replay"?\n');
  });
});
