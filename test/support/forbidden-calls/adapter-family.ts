import { buildTrial, totalsOf } from "../../../packages/core/src/engine/build-trial.js";
import type { HttpTransport } from "../../../packages/core/src/providers/http/transport.js";
import { defaultRequestTimeouts, type ProviderAdapter } from "../../../packages/core/src/providers/provider.js";
import { findProvider } from "../../../packages/core/src/providers/registry.js";
import { createBudget } from "../../../packages/core/src/resilience/budget.js";
import type { ModelRoute } from "../../../packages/core/src/resilience/model-route.js";
import { retryPresets } from "../../../packages/core/src/resilience/retry-policy.js";
import { ModelSession } from "../../../packages/core/src/targets/model/model-session.js";
import type { SessionListener, SessionSettings } from "../../../packages/core/src/targets/target.js";
import { ToolRunner } from "../../../packages/core/src/tools/tool-runner.js";
import type { RunnableTool } from "../../../packages/core/src/tools/tool-config.js";
import { simulatedTool } from "../../../packages/core/src/__fixtures__/simulated-tool.js";
import { createSystemClock } from "../../../packages/core/src/values/clock.js";
import type { AdapterRow } from "../adapters/adapter-row.js";
import { bedrockEvents } from "../fake-models/bedrock.js";
import type { FakeModel, NeutralAnswer } from "../fake-models/fake-model.js";
import type { Dice } from "./dice.js";
import { erroredVerdicts, harmless, planted, verdictsOn, type Verdicts } from "./planted-call.js";
import { parseWire, type Wire } from "./wire.js";

/** An adapter with a network of its own, which answers what it is told to. */
export interface AdapterFamily {
  name: string;
  /** The reply in which the provider says this. */
  replyOf(answer: NeutralAnswer, isStream: boolean, dice: Dice): Wire;
  /** Holds a trial whose first answer comes in these chunks, and whose further ones call nothing. */
  judge(chunks: readonly Buffer[], isStream: boolean): Promise<Judged>;
  /** Set where what is changed is not the answer, so that the call is always there. */
  isCallElsewhere?: true;
  /** Set where replies need not be readable before they are changed. */
  mayBeUnreadable?: true;
}

/** What the tools of a trial are made of, anew for each. */
export interface TrialTools {
  tools: readonly RunnableTool[];
  release(): void;
}

export interface Judged extends Verdicts {
  /** Code and message of what ended the trial; null where nothing did. */
  error: string | null;
}

const clock = createSystemClock();
const simulated = [planted, harmless].map(({ tool }) =>
  simulatedTool({ name: tool, parameters: { type: "object" }, default: { return: "done" } }),
);
const silent = (): void => {};
const listener: SessionListener = {
  turnStarted: silent,
  turnEnded: silent,
  queueStarted: silent,
  queueEnded: silent,
  attemptStarted: silent,
  attemptEnded: silent,
  retryStarted: silent,
  retryEnded: silent,
  fellBack: silent,
  toolStarted: silent,
  toolEnded: silent,
};

interface Received {
  chunks: readonly Buffer[];
  headers: Readonly<Record<string, string>>;
}

/** Gives the reply as the transport over HTTP does: whole, or chunk by chunk until nothing more is wanted. */
function createNetwork(take: () => Received): HttpTransport {
  return {
    async send({ sink }) {
      const { chunks, headers } = take();
      if (sink === undefined) {
        const body = Buffer.concat(chunks)
          .toString("utf8")
          .replace(/^\uFEFF/, "");
        return { success: true, data: { status: 200, headers, body, latencyMs: 1 } };
      }
      for (const chunk of chunks) if (sink(chunk, 1, { status: 200, headers })) break;
      return { success: true, data: { status: 200, headers, body: "", latencyMs: 1 } };
    },
    close: async () => {},
  };
}

function openAdapter({ fake, name }: AdapterRow, http: HttpTransport): ProviderAdapter {
  const { type, ...provider } = fake.config("http://127.0.0.1:9");
  const definition = findProvider(String(type));
  const settings = { id: "model", providerName: name, model: "test-model", provider, own: {}, documents: {} };
  const created = definition?.create(settings, { http, clock, env: fake.env });
  if (created?.success !== true) throw new Error(`${name} cannot be opened`);
  return created.data;
}

function parseReply(fake: FakeModel, answer: NeutralAnswer, isStream: boolean): Wire {
  const { headers, body } = fake.reply(answer, isStream);
  if (!isStream) return parseWire("json", String(body));
  if (headers["content-type"]?.includes("eventstream") === true) {
    const messages = bedrockEvents(answer).map(([name, data]) => ({ name, data: { ...data } }));
    return { framing: "aws-event-stream", messages };
  }
  return parseWire(fake.type === "ollama" ? "ndjson" : "sse", String(body));
}

/** @param openTools - null for tools that cannot be opened */
export function createAdapterFamily(
  row: AdapterRow,
  openTools: () => Promise<TrialTools | null> = async () => ({ tools: simulated, release: silent }),
): AdapterFamily {
  const { name, fake } = row;
  const last: NeutralAnswer = { text: "All is done.", toolCalls: [] };
  const lastReplies = [fake.reply(last, false), fake.reply(last, true)].map(({ headers, body }) => ({
    headers,
    chunks: [Buffer.from(body)],
  }));
  const replies = new Map<string, Wire>();
  let next: Received | null = null;
  let ending: Received | undefined;
  const adapter = openAdapter(
    row,
    createNetwork(() => {
      const received = next ?? ending;
      next = null;
      if (received === undefined) throw new Error("nothing was to be asked");
      return received;
    }),
  );
  const routeOf = (stream: boolean): ModelRoute => [
    {
      endpoint: {
        model: "model",
        servedAs: "served",
        lane: "model",
        provider: name,
        adapter,
        limiter: null,
        breaker: null,
        countsTokens: false,
      },
      policy: retryPresets.disabled,
      params: {},
      timeouts: defaultRequestTimeouts,
      stream,
      pricing: null,
    },
  ];
  const routes = [routeOf(false), routeOf(true)] as const;
  return {
    name,
    replyOf(answer, isStream) {
      const key = `${isStream} ${JSON.stringify(answer)}`;
      const known = replies.get(key) ?? parseReply(fake, answer, isStream);
      replies.set(key, known);
      return known;
    },
    async judge(chunks, isStream) {
      const opened = await openTools();
      if (opened === null) return { ...erroredVerdicts, error: "ENGINE_FIXTURE_ERROR" };
      ending = lastReplies[isStream ? 1 : 0];
      next = { chunks, headers: ending?.headers ?? {} };
      const settings: SessionSettings = {
        budget: createBudget(null),
        clock,
        random: () => 0,
        listener,
        system: null,
        history: [],
        tools: new ToolRunner({
          tools: opened.tools,
          style: "envelope",
          recommendations: null,
          timeoutMs: 60_000,
          clock,
          scope: {},
        }),
        limits: { maxTurns: 4, maxToolCalls: 50, maxTrialCostUsd: null },
        origin: { caseId: "suite/test", trial: 1, seed: 1 },
      };
      const session = new ModelSession(settings, routes[isStream ? 1 : 0]);
      const sent = await session.send({ role: "user", content: "Hello" }, { signal: new AbortController().signal });
      opened.release();
      if (!sent.success) return { ...erroredVerdicts, error: `${sent.error.code}: ${sent.error.message}` };
      const { transcript } = session;
      return { ...(await verdictsOn(buildTrial(transcript, totalsOf(transcript), 0, null))), error: null };
    },
  };
}
