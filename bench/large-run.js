import { summarizeSuites } from "../packages/core/build/engine/summary/summarize.js";
import { createRandom } from "../packages/core/build/values/random.js";

/**
 * A finished run of any size, as `runTests` gives it, for reports: of a shop's assistant, with prose that varies, so that
 * it compresses as conversations do. Trials are made when they are read, the same each time, and none is kept.
 */

const words =
  `order refund card euro customer delivered shipped processing manager please number within hours days thank sorry check account address confirm cancel return policy warehouse carrier tracking delay invoice payment receipt because although however therefore could would should might will cannot already before after during between until again still never always sometimes today tomorrow yesterday morning evening package parcel damaged missing replacement credit bank transfer statement amount total fee discount coupon code voucher loyalty points member premium standard express pickup locker driver neighbor signature photo proof claim ticket colleague escalate priority high low medium urgent calm polite clear short long answer question reply message call email phone chat agent human robot assistant system tool lookup find search list update change set remove add create`.split(
    " ",
  );
const suiteNames = ["order-status", "refunds", "escalations", "returns", "billing", "addresses", "loyalty", "privacy"];
const models = ["gpt", "claude"];
const rows = ["alpha", "beta", "gamma", "delta", "東京-返品", "🙂-emoji"];
const tests = ["where-is", "full-refund", "declined-by-user", "angry-customer", "unknown-order", "haggles", "recovers"];

/** What untrusted text may try: markup, an end of the element, control characters, another reading direction. */
export const hostileText =
  "</script><img src=x onerror=\"document.title='hit'\"><script>document.title='hit'</script><!--<script> " +
  "\u001b[31mred\u001b[0m \u202etxet\u202c \u0000 ::error::x ]]> [a](javascript:alert(1)) 東京 👩‍👩‍👧 🇩🇪 é";

export function largeRun({ cases = 10_000, trials = 3, seed = 42, isHostile = false } = {}) {
  const all = Array.from({ length: cases }, (_, index) => caseOf(index, { cases, trials, seed }));
  const testsOf = (name) => all.filter(({ suite }) => suite === name);
  const suites = suiteNames.map((name) => ({ status: "run", name, file: "kindlm.yaml", tests: testsOf(name) }));
  const places = new Map(all.map(({ id }, index) => [id, index]));
  const count = (status) => all.filter((test) => test.status === status).length;
  const counts = Object.fromEntries(
    ["passed", "failed", "errored", "skipped"].map((status) => [status, count(status)]),
  );
  const { passed, failed, errored } = counts;
  return {
    kindlm: "0.1.0",
    verdict: "failed",
    exitCode: 1,
    reasons: [],
    run: {
      id: "20261122-112309728-58f78b",
      startedAt: "2026-11-22T11:23:09.728Z",
      endedAt: "2026-11-22T11:45:09.728Z",
      durationMs: 1_320_000,
      seed: 1,
      interrupted: false,
      project: "acme-support",
      git: { commit: "0123456789abcdef", branch: "main", dirty: false },
    },
    summary: {
      ...counts,
      total: cases,
      allowedFailures: 0,
      passRate: passed / (passed + failed),
      interval: [0.8, 0.9],
      meanRate: null,
      errorRate: errored / cases,
      costUsd: cases * 0.004,
      unpricedRequests: 0,
      usage: { inputTokens: cases * 4_000, outputTokens: cases * 400 },
      latencyMs: { p50: 2_100, p95: 9_800 },
      timeToFirstTokenMs: null,
      requests: cases * trials * 3,
      retries: 12,
      fallbacks: 0,
      providers: ["openai", "anthropic"].map((provider) => ({
        provider,
        requests: cases * trials,
        errors: 12,
        errorRate: 0.01,
        errorsByCode: { PROVIDER_RATE_LIMIT: 12 },
        limiter: { limit: 6, rateLimits: 12, lanes: [] },
      })),
      failures: { llm_api: 12, tool: 0, network: 0, validation: 0, service: 0 },
    },
    gates: [],
    suites,
    suiteSummaries: summarizeSuites(suites, new Map()),
    warnings: [],
    async *trials(caseId) {
      for (const test of caseId === undefined ? all : [all[places.get(caseId)]]) {
        const index = places.get(test.id);
        for (let trial = 1; trial <= trials; trial += 1) {
          const random = createRandom((seed * 1_000_003 + index) * 31 + trial);
          yield new Conversation(test, random, isHostile).hold(trial);
        }
      }
    },
  };
}

function caseOf(index, { cases, trials, seed }) {
  const random = createRandom(seed * 1_000_003 + index);
  const suite = suiteNames[Math.floor((index * suiteNames.length) / cases)];
  const model = models[index % 2];
  const row = rows[Math.floor(index / 2) % rows.length];
  const name = `${tests[Math.floor(index / 12) % tests.length]}-${String(Math.floor(index / 12)).padStart(4, "0")}`;
  const isBad = random() < 0.18;
  const isErrored = !isBad && random() < 0.03;
  const statuses = Array.from({ length: trials }, () => {
    if (isErrored) return "errored";
    return random() < (isBad ? 0.25 : 0.97) ? "passed" : "failed";
  });
  const passes = statuses.filter((status) => status === "passed").length;
  const required = Math.ceil(trials * 0.6);
  const status = isErrored ? "errored" : passes >= required ? "passed" : "failed";
  const decisive = statuses.findIndex((one) => one !== "passed");
  return {
    id: `${suite}/${name}[${row}]@${model}`,
    suite,
    name,
    model,
    row,
    prompt: null,
    fault: null,
    tags: index % 3 === 0 ? ["smoke"] : [],
    critical: false,
    allowFailure: null,
    position: { file: "kindlm.yaml", line: 40 + (index % 400), column: 9, length: 4 },
    status,
    error: isErrored ? rateLimit() : null,
    mixed: passes > 0 && passes < trials,
    passes,
    required,
    runs: trials,
    counted: isErrored ? 0 : trials,
    interval: [0.2, 0.9],
    latencyMs: Math.round(800 + random() * 4_000),
    costUsd: Number((0.0004 + random() * 0.004).toFixed(6)) * trials,
    decisiveTrial: decisive === -1 ? trials : decisive + 1,
    fallback: null,
    agentHash: "0123456789abcdef",
    checkHash: "fedcba9876543210",
    statuses,
  };
}

const details = { provider: "OpenAI", model: "gpt", status: 429 };
const rateLimit = () => ({ code: "PROVIDER_RATE_LIMIT", message: "OpenAI rate limit hit", details });

/** A conversation in progress. */
class Conversation {
  messages = [];
  toolCalls = [];
  turns = [];
  userTurn = 0;

  constructor(test, random, isHostile) {
    Object.assign(this, { test, random, isHostile });
  }

  hold(trial) {
    const { test, random } = this;
    const status = test.statuses[trial - 1];
    const order = `ORD-${this.number(90_000)}`;
    const total = Number((random() * 1_500).toFixed(2));
    for (let rest = 1 + this.number(3); rest > 0; rest -= 1) this.lookUp(order, total);
    const amount = status === "failed" ? 1 : total;
    if (status !== "errored") this.refund(order, amount);
    const assertions = status === "errored" ? [] : this.assertions(order, amount, total);
    const durationMs = this.turns.reduce((sum, { latencyMs }) => sum + latencyMs, 0);
    return {
      caseId: test.id,
      trial,
      status,
      error: status === "errored" ? rateLimit() : null,
      output: this.messages.findLast(({ role }) => role === "assistant")?.text ?? "",
      latencyMs: durationMs,
      durationMs,
      costUsd: test.costUsd / test.runs,
      usage: { inputTokens: 1_200 + this.number(2_000), outputTokens: 80 + this.number(200) },
      attempts: this.turns.length,
      unpricedRequests: 0,
      servedBy: test.model,
      fallback: null,
      finishReason: "stop",
      turns: this.turns,
      toolCalls: this.toolCalls,
      messages: this.messages,
      assertions,
    };
  }

  lookUp(order, total) {
    const { random } = this;
    this.userTurn += 1;
    this.messages.push({ role: "user", content: this.prose(6 + this.number(18)) });
    const status = ["delivered", "shipped", "processing"][this.number(3)];
    this.call("lookup_order", { order_id: order }, { order_id: order, status, total, note: this.prose(4) });
    if (random() < 0.15) this.call("lookup_order", { order_id: order }, { order_id: order, status, total });
    this.say(this.prose(18 + this.number(55)));
  }

  refund(order, amount) {
    this.call("issue_refund", { order_id: order, amount, reason: this.prose(3) }, { refund_id: `RF-${order}` });
    this.say(this.prose(12 + this.number(20)));
  }

  call(tool, args, result) {
    const id = `call_${this.number(1e9)}`;
    this.answer("", [{ id, tool, args }]);
    const { length: turn } = this.turns;
    this.toolCalls.push({ tool, args, result, durationMs: 20 + this.number(40), turn, userTurn: this.userTurn });
    this.messages.push({ role: "tool", callId: id, tool, content: JSON.stringify(result), isError: false });
  }

  say(text) {
    this.answer(this.isHostile ? `${text} ${hostileText}` : text, []);
  }

  answer(text, toolCalls) {
    const latencyMs = 300 + this.number(1_800);
    const attempt = { attempt: 1, provider: "openai", latencyMs, error: null, requestId: null, waitedMs: null };
    this.turns.push({
      turn: this.turns.length + 1,
      userTurn: this.userTurn,
      latencyMs,
      timeToFirstTokenMs: null,
      usage: null,
      costUsd: 0.001,
      finishReason: "stop",
      servedBy: this.test.model,
      fallback: null,
      attempts: [attempt],
    });
    this.messages.push({ role: "assistant", text, toolCalls });
  }

  assertions(order, amount, total) {
    const expected = { tool: "issue_refund", args: { order_id: order, amount: total } };
    const pass = amount === total;
    const message = pass
      ? "issue_refund was called as expected"
      : `Expected issue_refund({order_id: "${order}", amount: ${total}}), but the nearest call differs at amount: expected ${total}, got ${amount}`;
    const actual = { actual: { tool: "issue_refund", args: this.toolCalls.at(-1).args } };
    return [
      { type: "tool_called", pass, score: Number(pass), message, durationMs: 0.2, expected, ...(pass ? {} : actual) },
      { type: "max_tool_calls", pass: true, score: 1, message: "3 of at most 6 tool calls", durationMs: 0.1 },
    ];
  }

  prose(length) {
    const text = Array.from({ length }, () => {
      const more = this.random() < 0.02 ? ` ${this.number(99_999)}` : "";
      return `${words[this.number(words.length)]}${more}${this.random() < 0.08 ? "." : ""}`;
    }).join(" ");
    return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
  }

  number = (below) => Math.floor(this.random() * below);
}
