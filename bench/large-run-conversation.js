const words =
  `order refund card euro customer delivered shipped processing manager please number within hours days thank sorry check account address confirm cancel return policy warehouse carrier tracking delay invoice payment receipt because although however therefore could would should might will cannot already before after during between until again still never always sometimes today tomorrow yesterday morning evening package parcel damaged missing replacement credit bank transfer statement amount total fee discount coupon code voucher loyalty points member premium standard express pickup locker driver neighbor signature photo proof claim ticket colleague escalate priority high low medium urgent calm polite clear short long answer question reply message call email phone chat agent human robot assistant system tool lookup find search list update change set remove add create`.split(
    " ",
  );
export const providers = { gpt: "openai", claude: "anthropic" };
/** When the run began, and how long it took. */
export const startedAt = "2026-11-22T11:23:09.728Z";
export const durationMs = 1_320_000;

/** What untrusted text may try: markup, an end of the element, control characters, another reading direction. */
export const hostileText =
  "</script><img src=x onerror=\"document.title='hit'\"><script>document.title='hit'</script><!--<script> " +
  "\u001b[31mred\u001b[0m \u202etxet\u202c \u0000 ::error::x ]]> [a](javascript:alert(1)) 東京 👩‍👩‍👧 🇩🇪 é";

const details = { provider: "OpenAI", model: "gpt", status: 429 };
export const rateLimit = () => ({ code: "PROVIDER_RATE_LIMIT", message: "OpenAI rate limit hit", details });

/** A conversation in progress. */
export class Conversation {
  messages = [];
  toolCalls = [];
  turns = [];
  userTurn = 0;
  elapsedMs = 0;

  constructor(test, random, isHostile, from) {
    Object.assign(this, { test, random, isHostile, from });
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
    const latencyMs = this.turns.reduce((sum, turn) => sum + turn.latencyMs, 0);
    return {
      caseId: test.id,
      trial,
      status,
      error: status === "errored" ? rateLimit() : null,
      output: this.messages.findLast(({ role }) => role === "assistant")?.text ?? "",
      startedAt: this.from,
      latencyMs,
      durationMs: this.elapsedMs,
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
    const took = 20 + this.number(40);
    const times = { startedAt: this.from + this.elapsedMs, durationMs: took };
    this.elapsedMs += took;
    this.toolCalls.push({ tool, args, result, ...times, turn, userTurn: this.userTurn });
    this.messages.push({ role: "tool", callId: id, tool, content: JSON.stringify(result), isError: false });
  }

  say(text) {
    this.answer(this.isHostile ? `${text} ${hostileText}` : text, []);
  }

  answer(text, toolCalls) {
    const latencyMs = 300 + this.number(1_800);
    const provider = providers[this.test.model];
    const attempt = { attempt: 1, provider, latencyMs, error: null, requestId: null, waitedMs: null };
    // One provider limits its rate in the third quarter of the run.
    const share = (this.from - Date.parse(startedAt)) / durationMs;
    if (provider === "openai" && share > 0.5 && share < 0.75) {
      Object.assign(attempt, { queuedMs: 600 + this.number(2_000), isRateLimited: true });
    }
    attempt.startedAt = this.from + this.elapsedMs + (attempt.queuedMs ?? 0);
    this.elapsedMs += (attempt.queuedMs ?? 0) + latencyMs;
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
