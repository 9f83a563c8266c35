import { execFile, spawn } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";

const run = promisify(execFile);
const most = { restartMs: 2_000, mebibytes: 450 };

/**
 * The steps of the container file as a script in an empty folder, without building an image: installs the packed
 * packages, starts the server as the container does, asks for its health, kills it, and starts it again. Prints the times.
 */
export async function checkServer(folder, tarballs) {
  await mkdir(folder, { recursive: true });
  const container = new Container(folder, await readFile("packages/server/Dockerfile", "utf8"), tarballs);
  await container.build();
  const first = await container.start();
  const problems = [...(await container.checkHealth(first)), ...first.problems];
  first.child.kill("SIGKILL");
  await first.ended;
  const again = await container.start();
  problems.push(...(await container.checkHealth(again)), ...again.problems);
  const status = await readFile(`/proc/${again.child.pid}/status`, "utf8").catch(() => "");
  const mebibytes = Number(/VmRSS:\s*(\d+)/.exec(status)?.[1] ?? 0) / 1_024;
  again.child.kill("SIGTERM");
  const code = await again.ended;
  const [started, restarted] = [first, again].map(({ ms }) => `${(ms / 1_000).toFixed(1)} s`);
  console.log(`packages: the server starts in ${started}, again in ${restarted}, with ${mebibytes.toFixed(0)} MiB`);
  if (mebibytes > most.mebibytes) problems.push(`the server takes ${mebibytes} MiB, at most ${most.mebibytes} wanted`);
  // Other checks run at the same time, so only a start that is far too slow is a problem.
  if (again.ms > 10 * most.restartMs) problems.push(`the server took ${again.ms} ms to start again`);
  if (code !== 0) problems.push(`the server ended with ${code} when it was asked to stop`);
  return problems;
}

/** Runs the instructions of a container file, with paths below a folder and as the current user. */
class Container {
  #folder;
  #env;
  #instructions;

  constructor(folder, text, tarballs) {
    this.#folder = folder;
    const bin = process.platform === "win32" ? folder : join(folder, "bin");
    this.#env = { PATH: `${bin}:${process.env.PATH}`, npm_config_prefix: folder };
    this.#env.PACKAGES = tarballs.join(" ");
    const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    this.#instructions = lines.map((line) => {
      const [, name, rest] = /^([A-Z]+) (.*)$/.exec(line);
      return { name, rest: this.#moved(rest) };
    });
  }

  /** Of a path in the container and its user, those outside. */
  #moved(text) {
    return text
      .replaceAll(/(?<=[\s"])\/data\b/g, join(this.#folder, "data"))
      .replaceAll("node:node", `${process.getuid()}`);
  }

  async build() {
    for (const { name, rest } of this.#instructions) {
      if (name === "ENV") this.#env[rest.split("=")[0]] = rest.split("=").slice(1).join("=");
      if (name === "RUN") await run("sh", ["-c", rest], { env: { ...process.env, ...this.#env }, cwd: this.#folder });
    }
  }

  #wordsOf(name) {
    const { rest } = this.#instructions.find((one) => one.name === name);
    return JSON.parse(rest.slice(rest.indexOf("[")));
  }

  /** Port 4310 may be in use here, and people open the server at another address than in the container. */
  async start() {
    const [program, ...words] = [...this.#wordsOf("ENTRYPOINT"), ...this.#wordsOf("CMD")];
    const from = performance.now();
    const more = ["--port", "0"];
    const child = spawn(program, [...words, ...more], {
      env: this.#env,
      cwd: this.#folder,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const ended = new Promise((resolve) => child.once("exit", resolve));
    let text = "";
    const port = await new Promise((resolve) => {
      for (const stream of [child.stdout, child.stderr]) {
        stream.on("data", (chunk) => {
          text += chunk;
          const found = /"Listening on http:[^"]*:(\d+)"/.exec(text)?.[1];
          if (found !== undefined) resolve(found);
        });
      }
      void ended.then(() => resolve(null));
    });
    const problems = port === null ? [`the server did not start: ${text}`] : [];
    return { child, ended, port, problems, ms: performance.now() - from };
  }

  async checkHealth({ port }) {
    const [program, ...words] = this.#wordsOf("HEALTHCHECK");
    const own = words.map((word) => word.replace("4310", String(port)));
    return run(program, own, { env: this.#env }).then(
      () => [],
      ({ code }) => [`the health check of the container ended with ${code}`],
    );
  }
}
