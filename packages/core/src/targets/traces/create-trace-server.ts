import { randomBytes } from "node:crypto";
import type { Diagnostic } from "../../errors/error-table.js";
import { failure, success, type Result } from "../../result.js";
import type { OtlpServer } from "../../traces/otlp-server.js";
import type { Clock } from "../../values/clock.js";
import { untraced } from "../program/target-error.js";
import { SpanRouter } from "./span-router.js";
import type { TraceSettings } from "./trace-settings.js";
import type { TrialTrace } from "./trial-trace.js";

/** The spans of one trial, and where its agent sends them. */
export interface OpenTrace {
  trace: TrialTrace;
  close(): void;
}

/** Receives the spans of the agents of a run. */
export interface TraceServer {
  /** Starts to listen at the first call for an address. `name`: the trial, as people are to see it. */
  open(settings: TraceSettings, name: string, clock: Clock): Promise<Result<OpenTrace>>;
  close(): Promise<void>;
  /** Spans that were evaluated for no trial. */
  warnings(): readonly Diagnostic[];
}

/** One server for each address that targets name. What a run without traces pays is this object. */
export function createTraceServer(): TraceServer {
  const routers = new Map<string, { router: SpanRouter; server: Promise<Result<OtlpServer>> }>();
  const listenAt = async ({ host, port }: TraceSettings) => {
    const address = `${host} ${port ?? 0}`;
    const known = routers.get(address);
    if (known !== undefined) return known;
    const router = new SpanRouter();
    const opened = { router, server: startServer(host, port ?? 0, router) };
    routers.set(address, opened);
    return opened;
  };
  return {
    async open(settings, name, clock) {
      const { router, server } = await listenAt(settings);
      const started = await server;
      if (!started.success) {
        const hint = "Another run may listen there. Set traces.port of the target, and send the spans there";
        return failure(untraced(started.error.message, hint));
      }
      const { TrialTrace: Trace } = await import("./trial-trace.js");
      // A path for each trial: what arrives there is the trial's, whatever trace the agent begins.
      const place = `/${randomBytes(16).toString("hex")}`;
      const endpoint = settings.isOwn ? `${started.data.url}${place}` : started.data.url;
      const trace = new Trace({ clock, settings, endpoint, state: () => router.state });
      return success({ trace, close: router.open(trace, { place, name }) });
    },
    async close() {
      for (const { server } of routers.values()) {
        const started = await server;
        if (started.success) await started.data.close();
      }
    },
    warnings: () => [...routers.values()].flatMap(({ router }) => router.warnings()),
  };
}

async function startServer(host: string, port: number, router: SpanRouter): Promise<Result<OtlpServer>> {
  // Spans are read by code that runs without them have no use for.
  const [{ openOtlpServer }, { createOtlpHandler }] = await Promise.all([
    import("../../traces/otlp-server.js"),
    import("../../traces/otlp-handler.js"),
  ]);
  return openOtlpServer(host, port, createOtlpHandler(router.take, router.onRequest));
}
