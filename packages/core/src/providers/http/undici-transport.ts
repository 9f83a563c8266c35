import type { Dispatcher } from "undici";
import { attempt } from "../../errors/boundary.js";
import { failure, type Result } from "../../result.js";
import type { Clock } from "../../values/clock.js";
import { createAbortWatch } from "./abort-watch.js";
import { Exchange } from "./exchange.js";
import { describeFailure } from "./describe-failure.js";
import type { ProxySettings } from "./proxy-settings.js";
import type { HttpFailure, HttpTransport } from "./transport.js";

interface Target {
  origin: string;
  path: string;
}

/** As many distinct addresses as are remembered; a run has one per model. */
const maxTargets = 100;

/**
 * HTTP over undici with kept-alive connections, one pool per origin and connect timeout, or through a
 * proxy. undici is loaded at the first request. Redirects are replies like any other.
 */
export function createUndiciTransport(clock: Clock, proxy: ProxySettings | null = null): HttpTransport {
  const agents = new Map<number, Promise<Result<Dispatcher, HttpFailure>>>();
  const ready = new Map<number, Dispatcher>();
  const targets = new Map<string, Target>();
  const aborts = createAbortWatch();

  const openAgent = async (connectMs: number): Promise<Result<Dispatcher, HttpFailure>> => {
    const opened = await attempt(
      async () => {
        const { Agent, EnvHttpProxyAgent } = await import("undici");
        // The deadlines of an exchange are kept by the exchange: undici's own are only exact to about a second.
        const options = { connect: { timeout: connectMs }, headersTimeout: 0, bodyTimeout: 0, connections: null };
        return proxy === null ? new Agent(options) : new EnvHttpProxyAgent({ ...options, ...proxy });
      },
      (cause) => ({ code: "UNKNOWN_ERROR", message: String(cause), cause: cause instanceof Error ? cause : undefined }),
    );
    if (!opened.success) return failure(describeFailure(opened.error.cause ?? new Error(opened.error.message)));
    ready.set(connectMs, opened.data);
    return opened;
  };

  const agentFor = (connectMs: number): Promise<Result<Dispatcher, HttpFailure>> => {
    let agent = agents.get(connectMs);
    if (agent === undefined) agents.set(connectMs, (agent = openAgent(connectMs)));
    return agent;
  };

  const targetOf = (url: string): Target | null => {
    const known = targets.get(url);
    if (known !== undefined) return known;
    const parsed = URL.canParse(url) ? new URL(url) : null;
    if (parsed === null || !/^https?:$/.test(parsed.protocol)) return null;
    const target = { origin: parsed.origin, path: parsed.pathname + parsed.search };
    if (targets.size >= maxTargets) targets.clear();
    targets.set(url, target);
    return target;
  };

  return {
    async send(request, { signal }) {
      const target = targetOf(request.url);
      if (target === null) {
        const message = `"${request.url}" is no HTTP address`;
        return failure({ kind: "unsendable", message, cause: new Error(message) });
      }
      let agent = ready.get(request.timeouts.connectMs);
      if (agent === undefined) {
        const opened = await agentFor(request.timeouts.connectMs);
        if (!opened.success) return opened;
        agent = opened.data;
      }
      const exchange = new Exchange(clock, request, signal);
      const { method, headers, body } = request;
      return exchange.run(agent, { ...target, method, headers, body }, aborts);
    },
    async close() {
      const open = [...ready.values()];
      ready.clear();
      agents.clear();
      await Promise.all(open.map((agent) => agent.destroy()));
    },
  };
}
