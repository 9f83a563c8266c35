import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { Message } from "../../transcript/message.js";
import type { Clock } from "../../values/clock.js";
import type { ProviderRequest, RequestOrigin } from "../provider.js";
import { scriptSchema } from "./script-schema.js";
import { scriptedProvider } from "./scripted-provider.js";

/** Time passes by sleeping only. */
function fakeClock(): Clock {
  let now = 1_000;
  return {
    now: () => now,
    monotonic: () => now,
    sleep(ms, signal) {
      if (signal?.aborted !== true) now += ms;
      return Promise.resolve();
    },
    after: () => () => undefined,
  };
}

const http = {
  send: () => Promise.reject(new Error("A scripted model needs no network")),
  close: () => Promise.resolve(),
};

const timeouts = { connectMs: 10, headersMs: 10, idleMs: 10, requestMs: 500 };

type Asked = Partial<Omit<ProviderRequest, "origin">> & {
  user?: string;
  origin?: Partial<RequestOrigin>;
  signal?: AbortSignal;
};

function load(yaml: string) {
  const documents = { script: scriptSchema.parse(parse(yaml)) };
  const settings = { id: "offline", providerName: "scripted", model: "", provider: {}, own: {}, documents };
  const created = scriptedProvider.create(settings, { http, clock: fakeClock(), env: {} });
  if (!created.success) throw new Error(created.error.message);
  const adapter = created.data;
  return {
    isDeterministic: scriptedProvider.isDeterministic(settings),
    ask({ user = "Hi", origin, signal = new AbortController().signal, ...parts }: Asked = {}) {
      const request: ProviderRequest = {
        messages: [{ role: "user", content: user }],
        tools: [],
        params: {},
        timeouts,
        origin: { caseId: "c", trial: 1, turn: 1, seed: 1, ...origin },
        ...parts,
      };
      return adapter.complete(request, { signal });
    },
  };
}

/** A conversation in which a tool was called and has answered. */
function afterTool(content: string, user = "Where is ORD-1?"): readonly Message[] {
  return [
    { role: "user", content: user },
    { role: "assistant", text: "", toolCalls: [{ id: "1", tool: "lookup", args: { order_id: "ORD-1", n: 2 } }] },
    { role: "tool", callId: "1", tool: "lookup", content, isError: false },
  ];
}

describe("rules", () => {
  it.each<[string, Asked, string]>([
    ["{ user: { $contains: ORD } }", { user: "ORD-1" }, "yes"],
    ["{ user: { $contains: ORD } }", { user: "none" }, "no"],
    ["{ turn: 2 }", { origin: { turn: 2 } }, "yes"],
    ["{ turn: { $gt: 2 } }", { origin: { turn: 2 } }, "no"],
    ["{ attempt: 1 }", {}, "yes"],
    ["{ attempt: 1 }", { origin: { attempt: 2 } }, "no"],
    ["{ system: { $contains: terse } }", { system: "You are terse." }, "yes"],
    ["{ system: { $absent: true } }", {}, "yes"],
    ["{ tools: { $includes: lookup } }", { tools: [{ name: "lookup", parameters: {} }] }, "yes"],
    ["{ tools: { $includes: lookup } }", {}, "no"],
    ["{ last_tool_result: { $absent: true } }", {}, "yes"],
    ["{ last_tool_result: { $contains: delivered } }", { messages: afterTool('{"status":"delivered"}') }, "yes"],
    ["{ last_tool_result: { status: delivered } }", { messages: afterTool('{"status":"delivered"}') }, "yes"],
    ["{ last_tool_result: { status: lost } }", { messages: afterTool('{"status":"delivered"}') }, "no"],
    ["{ last_tool_result: { $not: { $contains: lost } } }", { messages: afterTool('{"status":"lost"}') }, "no"],
    ["{ last_tool_result: Sunny }", { messages: afterTool("Sunny") }, "yes"],
    ["{ last_tool_result: Sunny }", { messages: afterTool('"Sunny"') }, "yes"],
    ["{ last_tool_result: { $gte: 3 } }", { messages: afterTool("4") }, "yes"],
    ["{ last_tool_result: { $starts_with: '4' } }", { messages: afterTool("4") }, "yes"],
    ["{ turn: 1, user: other }", { user: "Hi" }, "no"],
  ])("when %s", async (when, asked, text) => {
    const result = await load(`{ rules: [{ when: ${when}, reply: { text: "yes" } }], otherwise: { text: "no" } }`).ask(
      asked,
    );
    expect(result).toMatchObject({ success: true, data: { text } });
  });

  it("are tried in order, and the last user message counts", async () => {
    const script = load(`
rules:
  - { when: { user: two }, reply: { text: second } }
  - { when: { turn: 1 }, reply: { text: first } }`);
    const messages: Message[] = [
      { role: "user", content: "one" },
      { role: "assistant", text: "?", toolCalls: [] },
      { role: "user", content: [{ type: "text", text: "two" }] },
    ];
    expect(await script.ask({ messages })).toMatchObject({ data: { text: "second" } });
    expect(await script.ask({ user: "one" })).toMatchObject({ data: { text: "first" } });
  });

  it("that do not match are an error which says what was asked", async () => {
    const result = await load("rules: [{ when: { turn: 9 }, reply: { text: x } }]").ask({
      messages: afterTool('{"a":1}'),
      origin: { turn: 2 },
    });
    expect(result).toMatchObject({
      error: {
        code: "PROVIDER_API_ERROR",
        message:
          'Scripted model: no rule of the script matches, and it has no "otherwise". Asked: turn 2, user "Where is ORD-1?", last_tool_result {a: 1}',
        details: { retryable: false, model: "offline" },
      },
    });
  });
});

describe("replies", () => {
  it("call tools, with ids, raw arguments and text", async () => {
    const script = load(`
rules:
  - reply:
      text: Let me look.
      tool_calls:
        - { tool: lookup, args: { order_id: ORD-1 } }
        - { tool: lookup, id: mine, raw_args: "{oops" }
        - { tool: ping }`);
    expect(await script.ask({ origin: { turn: 3 } })).toMatchObject({
      data: {
        text: "Let me look.",
        finishReason: { unified: "tool_calls", raw: "tool_calls" },
        toolCalls: [
          { id: "call_3_1", tool: "lookup", args: { order_id: "ORD-1" } },
          { id: "mine", tool: "lookup", args: undefined, malformed: { raw: "{oops" } },
          { id: "call_3_3", tool: "ping", args: {} },
        ],
      },
    });
  });

  it("are data, with usage and finish reason as stated", async () => {
    const script = load(`
otherwise:
  json: { total: 3 }
  finish_reason: length
  usage: { input_tokens: 7, output_tokens: 5, cached_input_tokens: 2, reasoning_tokens: 1 }`);
    expect(await script.ask()).toMatchObject({
      data: {
        text: '{"total":3}',
        finishReason: { unified: "length" },
        usage: { inputTokens: 7, outputTokens: 5, cachedInputTokens: 2, reasoningTokens: 1 },
        modelServed: "offline",
        requestId: null,
        latencyMs: 0,
      },
    });
  });

  it("count a token for four characters, of everything sent and answered", async () => {
    const script = load("otherwise: { text: 123456789 x }");
    const messages: Message[] = [
      { role: "user", content: "12345" },
      { role: "assistant", text: "123", toolCalls: [] },
    ];
    const result = await script.ask({ system: "1234", messages });
    expect(result).toMatchObject({ data: { usage: { inputTokens: 3, outputTokens: 3 } } });
  });

  it("fill their placeholders", async () => {
    const script = load(`
rules:
  - when: { user: { $regex: "order (?<id>ORD-[0-9]+)", $flags: i } }
    reply:
      text: "{{match.id}} {{args.order_id}} {{last_tool_result.status}} {{turn}} \\\\{{turn}}"
      tool_calls: [{ tool: again, args: { n: "{{args.n}}", said: "{{user}}" } }]`);
    const messages = afterTool('{"status":"delivered {{user}}"}', "Where is Order ORD-7?");
    expect(await script.ask({ messages, origin: { turn: 2 } })).toMatchObject({
      data: {
        text: "ORD-7 ORD-1 delivered {{user}} 2 {{turn}}",
        toolCalls: [{ args: { n: 2, said: "Where is Order ORD-7?" } }],
      },
    });
  });

  it.each([
    ["{{last_tool_result}}", '{"a":1}', '{"a":1}'],
    ["{{last_tool_result}}", "plain", "plain"],
    ["is {{last_tool_result.a}}", '{"a":[1]}', "is [1]"],
  ])("tell %s of %s", async (text, content, expected) => {
    const script = load(`otherwise: { text: "${text}" }`);
    expect(await script.ask({ messages: afterTool(content) })).toMatchObject({ data: { text: expected } });
  });

  it("with a placeholder for nothing are an error that says what there is", async () => {
    expect(await load('otherwise: { text: "{{args.x}}" }').ask()).toMatchObject({
      error: {
        code: "PROVIDER_API_ERROR",
        message: "Scripted model: {{args.x}} of the script stands for nothing; there is user, turn, attempt, match",
      },
    });
  });
});

describe("faults", () => {
  it("are errors of the same kinds as those of a server", async () => {
    const script = load(`
rules:
  - { when: { turn: 1 }, reply: { error: { status: 429, retry_after: 2s } } }
  - { when: { turn: 2 }, reply: { error: { status: 500, body: broken, headers: { X-Request-Id: r1 } } } }
  - { when: { turn: 3 }, reply: { error: { status: 429, body: { error: { code: insufficient_quota } } } } }
  - { when: { turn: 4 }, reply: { error: { status: 401 } } }`);
    expect(await script.ask()).toMatchObject({
      error: {
        code: "PROVIDER_RATE_LIMIT",
        message: "Scripted model rate limit hit. Retry after 2 seconds.",
        details: { retryAfterMs: 2_000, status: 429, retryable: true },
      },
    });
    expect(await script.ask({ origin: { turn: 2 } })).toMatchObject({
      error: { message: "Scripted model returned 500: broken", details: { requestId: "r1" } },
    });
    expect(await script.ask({ origin: { turn: 3 } })).toMatchObject({ error: { details: { quota: true } } });
    expect(await script.ask({ origin: { turn: 4 } })).toMatchObject({ error: { code: "PROVIDER_AUTH_ERROR" } });
  });

  it("can be over at the next attempt", async () => {
    const script = load(`
rules: [{ when: { turn: 1, attempt: 1 }, reply: { error: { status: 503 } } }]
otherwise: { text: well }`);
    expect(await script.ask()).toMatchObject({ error: { details: { status: 503 } } });
    expect(await script.ask({ origin: { attempt: 2 } })).toMatchObject({ data: { text: "well" } });
  });

  it("delay the answer, up to the deadline of the request", async () => {
    expect(await load("otherwise: { text: x, delay: 300ms }").ask()).toMatchObject({ data: { latencyMs: 300 } });
    expect(await load("otherwise: { text: x, delay: 500ms }").ask()).toMatchObject({
      error: { code: "PROVIDER_TIMEOUT", message: "Scripted model request timed out after 500ms" },
    });
  });

  it("hang until the deadline, or until the caller gives up", async () => {
    const script = load("otherwise: { hang: true }");
    expect(await script.ask()).toMatchObject({
      error: { code: "PROVIDER_TIMEOUT", details: { timeout: { kind: "request", ms: 500 }, retryable: true } },
    });
    expect(await script.ask({ signal: AbortSignal.abort(new Error("stop")) })).toMatchObject({
      error: { code: "ENGINE_ABORTED", cause: { message: "stop" } },
    });
  });

  it.each([
    ["3", "ab"],
    ["{ bytes: 4 }", "ab€".slice(0, 2)],
    ["{ bytes: 5 }", "ab€"],
    ["{ chunks: 1 }", "ab€ "],
    ["{ chunks: 2 }", "ab€ cd "],
  ])("drop the connection after %s", async (after, partialText) => {
    expect(await load(`otherwise: { text: "ab€ cd ef", drop_after: ${after} }`).ask()).toMatchObject({
      error: { code: "PROVIDER_NETWORK_ERROR", details: { partialText, systemCode: "ECONNRESET", retryable: true } },
    });
  });
});

describe("a streamed reply", () => {
  it("has a time to its first token, unless it says nothing", async () => {
    const script = load(`
rules:
  - { when: { turn: 1 }, reply: { text: x, delay: 300ms } }
  - { when: { turn: 2 }, reply: { tool_calls: [{ tool: ping }] } }
otherwise: { text: "" }`);
    const timed = (turn: number, stream: boolean) => script.ask({ stream, origin: { turn } });
    expect(await timed(1, true)).toMatchObject({ data: { timeToFirstTokenMs: 300, latencyMs: 300 } });
    expect(await timed(2, true)).toMatchObject({ data: { timeToFirstTokenMs: 0 } });
    for (const answered of [await timed(3, true), await timed(1, false)]) {
      expect(answered.success && answered.data).not.toHaveProperty("timeToFirstTokenMs");
    }
  });

  it.each(["0", "{ bytes: 0 }", "{ chunks: 0 }"])("dropped after %s may be asked for again", async (after) => {
    const asked = await load(`otherwise: { text: "ab cd", drop_after: ${after} }`).ask({ stream: true });
    expect(asked).toMatchObject({ error: { code: "PROVIDER_NETWORK_ERROR", details: { retryable: true } } });
    expect(asked.success ? {} : asked.error.details).not.toHaveProperty("partialText");
  });

  it.each([
    ["1", "a"],
    ["{ bytes: 2 }", "ab"],
    ["{ chunks: 1 }", "ab "],
    ["{ chunks: 9 }", "ab cd"],
  ])("dropped after %s may not, and keeps what had come", async (after, partialText) => {
    expect(await load(`otherwise: { text: "ab cd", drop_after: ${after} }`).ask({ stream: true })).toMatchObject({
      error: { code: "PROVIDER_NETWORK_ERROR", details: { retryable: false, partialText, systemCode: "ECONNRESET" } },
    });
  });

  it("that hangs has not begun", async () => {
    expect(await load("otherwise: { hang: true }").ask({ stream: true })).toMatchObject({
      error: { code: "PROVIDER_TIMEOUT", details: { retryable: true } },
    });
  });
});

describe("choose", () => {
  const script = load(`
rules:
  - choose:
      - { weight: 3, reply: { text: often } }
      - { weight: 1, reply: { text: seldom } }`);

  it("is repeatable for seed, turn and attempt", async () => {
    const origins = [...Array(20).keys()].flatMap((seed) => [{ seed }, { seed, turn: 2 }, { seed, attempt: 2 }]);
    const draw = () => Promise.all(origins.map((origin) => script.ask({ origin })));
    expect(await draw()).toEqual(await draw());
  });

  it("keeps to the weights", async () => {
    const results = await Promise.all([...Array(1_000).keys()].map((seed) => script.ask({ origin: { seed } })));
    const often = results.filter((result) => result.success && result.data.text === "often").length;
    expect(often).toBeGreaterThan(700);
    expect(often).toBeLessThan(800);
  });

  it("makes the model one that is not deterministic", () => {
    expect(script.isDeterministic).toBe(false);
    expect(load("otherwise: { text: x }").isDeterministic).toBe(true);
  });
});
