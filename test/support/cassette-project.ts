import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { withoutVolatileFields } from "../../packages/core/src/reporters/json/without-volatile-fields.js";
import { runCli, type CliOutcome } from "./run-cli.js";
import { startServer, type Handler, type LoopbackServer } from "../../packages/core/src/__fixtures__/start-server.js";

export interface CassetteReport {
  verdict: string;
  run: Record<string, unknown>;
  summary: Record<string, unknown> & { requests: number };
  gates: Record<string, unknown>[];
  warnings: { code: string; message: string }[];
  suites: { tests: CassetteCase[] }[];
}

export interface CassetteCase {
  id: string;
  status: string;
  costUsd: number | null;
  error: { code: string; message: string; details?: Record<string, unknown> } | null;
  trials: {
    output: string;
    latencyMs: number;
    turns: {
      replayed?: boolean;
      latencyMs: number;
      timeToFirstTokenMs: number | null;
      attempts: number;
      failedAttempts: { code: string; message: string }[];
    }[];
    toolCalls: { tool: string; result?: unknown; error?: { message: string; errorType: string }; events?: unknown[] }[];
  }[];
}

export const secretKey = "sk-canary-0123456789abcdefghij";

/** A server on the loopback interface for the time of one test. */
export async function serve(handler: Handler): Promise<LoopbackServer> {
  const server = await startServer(handler);
  onTestFinished(() => server.close());
  return server;
}

/** The top of a config whose model `m` is on that server. */
export function configTop(url: string, model = ""): string {
  return `version: 1
providers: { local: { type: openai, base_url: "${url}/v1", api_key_env: LOCAL_KEY } }
models: [{ id: m, provider: local, model: m-1, pricing: { input: 1, output: 2 }${model} }]
`;
}

export interface CassetteRun extends CliOutcome {
  report: CassetteReport;
}

/** Runs the tests with the JSON report. A replay gets no key. */
export async function runWith(mode: string, cwd: string, ...more: readonly string[]): Promise<CassetteRun> {
  const env: Readonly<Record<string, string>> = mode === "replay" ? {} : { LOCAL_KEY: secretKey };
  const ran = await runCli(["test", "--reporter", "json", "--cassette", mode, ...more], { cwd, env });
  return { ...ran, report: JSON.parse(ran.stdout || "{}") as CassetteReport };
}

/** The report as text, without what may differ between two runs that came to the same. */
export function steadyText({ report }: CassetteRun): string {
  return JSON.stringify(withoutVolatileFields(report), null, 1);
}

export function casesOf({ report }: CassetteRun): readonly CassetteCase[] {
  return report.suites.flatMap(({ tests }) => tests);
}

/** The files of cassettes by their names. */
export function cassettesIn(cwd: string): Readonly<Record<string, string>> {
  const folder = join(cwd, ".kindlm", "cassettes");
  if (!existsSync(folder)) return {};
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.includes("."));
  return Object.fromEntries(
    names.toSorted().map((name) => [name.replaceAll("\\", "/"), readFileSync(join(folder, name), "utf8")]),
  );
}
