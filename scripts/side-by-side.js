import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { delimiter, resolve } from "node:path";
import process from "node:process";

/**
 * Runs scripts of package.json side by side, as many at a time as there are cores: `node scripts/side-by-side.js a b`.
 * What each has printed is shown in one piece when it has ended, with the time that it took. All of them run, whichever
 * fails; then those that failed are named, and the exit code is 1.
 */

const { scripts } = JSON.parse(await readFile("package.json", "utf8"));
const waiting = process.argv.slice(2);
const unknown = waiting.filter((name) => scripts[name] === undefined);
if (unknown.length > 0) throw new Error(`package.json has no script ${unknown.join(", ")}`);

const env = { ...process.env, PATH: [resolve("node_modules/.bin"), process.env.PATH].join(delimiter) };
const failed = [];

async function work() {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    if (!(await succeeds(name))) failed.push(name);
  }
}

function succeeds(name) {
  const startedAt = performance.now();
  const child = spawn(scripts[name], { shell: true, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => (output += text));
  }
  return new Promise((done) => {
    child.on("close", (code) => {
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      console.log(`::: ${name} ${code === 0 ? "took" : "FAILED after"} ${seconds} s\n${output}`.trimEnd());
      done(code === 0);
    });
  });
}

await Promise.all(Array.from({ length: availableParallelism() }, work));
if (failed.length > 0) {
  console.error(`failed: ${failed.join(", ")}`);
  process.exitCode = 1;
}
