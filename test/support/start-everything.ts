import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { makeProject } from "../../packages/core/src/__fixtures__/make-project.js";
import { briefly } from "./start-cli.js";

/** The program of an MCP server from npm. */
const programOf = (name: string): string =>
  join(dirname(createRequire(import.meta.url).resolve(`@modelcontextprotocol/${name}/package.json`)), "dist/index.js");

/** What starts it for a test, which is over soon. */
export const commandOf = (name: string): readonly string[] => [process.execPath, ...briefly, programOf(name)];

/** Makes a server of Node.js tell on stderr which port it was given. */
const sayPort = `
const { Server } = require("node:net");
const { listen } = Server.prototype;
Server.prototype.listen = function (...args) {
  return listen.apply(this.once("listening", () => console.error("port " + this.address().port)), args);
};
`;

/** Starts server-everything over streamable HTTP, on a free port. */
export async function startEverything() {
  const args = ["--require", join(makeProject({ "say-port.cjs": sayPort }), "say-port.cjs")];
  const child = spawn(process.execPath, [...briefly, ...args, programOf("server-everything"), "streamableHttp"], {
    env: { ...process.env, PORT: "0" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    said.push(line);
    const [, port] = /^port (\d+)$/.exec(line) ?? [];
    if (port !== undefined) return { child, url: `http://127.0.0.1:${port}/mcp` };
  }
  throw new Error(`The server ended before it listened: ${said.join("; ")}`);
}
