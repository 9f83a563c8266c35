import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterFile } from "../../packages/core/src/__fixtures__/clean-up.js";
import { repository } from "./run-cli.js";
import { briefly } from "./start-cli.js";

/** The program that npm links as `kindlm-server`. */
export const serverProgram = join(repository, "packages", "server", "dist", "bin.js");

export interface StartedServer {
  child: ChildProcess;
  /** The address that the server logs; empty if it ended instead. */
  origin: string;
  stdout(): string;
  stderr(): string;
  /** Resolves with the exit code; null for a signal. */
  ended: Promise<number | null>;
}

interface StartOptions {
  cwd: string;
  args?: readonly string[];
  /** What is started in place of Node and the server; its words are followed by `--port 0` and `args`. */
  command?: readonly string[];
  env?: Readonly<Record<string, string>>;
}

/**
 * Starts the results server as a process, and waits until it listens or has ended. Its PostgreSQL is not optimized while
 * it runs, which takes a third of the time of a start, and pays off later than a test ends.
 */
export async function startServerProcess({
  cwd,
  args = [],
  command = [process.execPath, ...briefly, serverProgram],
  env = {},
}: StartOptions): Promise<StartedServer> {
  const [program = "", ...words] = [...command, "--port", "0", ...args];
  const own = { PATH: process.env["PATH"] ?? "", HOME: cwd, ...env };
  const child = spawn(program, words, { cwd, env: own, stdio: ["ignore", "pipe", "pipe"] });
  afterFile(() => void child.kill("SIGKILL"));
  const [out, err]: [string[], string[]] = [[], []];
  const ended = once(child, "close").then(() => child.exitCode);
  child.stderr.on("data", (chunk: Buffer) => err.push(chunk.toString()));
  const origin = await new Promise<string>((resolve) => {
    child.stdout.on("data", (chunk: Buffer) => {
      out.push(chunk.toString());
      const found = /"Listening on (https?:[^"]+)"/.exec(out.join(""))?.[1];
      if (found !== undefined) resolve(found);
    });
    void ended.then(() => resolve(""));
  });
  return { child, origin, ended, stdout: () => out.join(""), stderr: () => err.join("") };
}

export interface ServerAnswer {
  status: number;
  json: Record<string, unknown>;
}

/** Sends requests to an address, with a token. */
export type Send = (method: string, path: string, body?: unknown) => Promise<ServerAnswer>;

export function sendTo(origin: string, token = ""): Send {
  return async (method, path, body) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const content =
      body === undefined
        ? {}
        : { body: new Uint8Array(gzipSync(JSON.stringify(body))), headers: { ...headers, "content-encoding": "gzip" } };
    const answer = await fetch(`${origin}${path}`, { method, headers, ...content });
    const json = (await answer.json()) as Record<string, unknown>;
    return { status: answer.status, json };
  };
}

/** Who sets servers up. */
export const owner = { email: "owner@example.com", password: "correct horse battery" };

/** Sets up a server that was never used, with the link that it prints, and makes the project `shop`. Gives the token of its owner. */
export async function setUpServer({ origin, stderr, child }: StartedServer): Promise<string> {
  while (!/#kls_[\w-]+/.test(stderr())) await once(child.stderr ?? child, "data");
  const secret = /#(kls_[\w-]+)/.exec(stderr())?.[1];
  const made = await sendTo(origin)("POST", "/api/v1/auth/setup", { secret, organization: "Acme", ...owner });
  const token = String(made.json["access_token"]);
  const project = await sendTo(origin, token)("POST", "/api/v1/projects", { name: "shop" });
  if (project.status !== 201) throw new Error(JSON.stringify([made, project]));
  return token;
}
