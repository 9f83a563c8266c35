// Measures the figures of docs/benchmarks.md, each as a ratio of two things measured side by side on this machine.
//   pnpm bench            all but the long ones
//   pnpm bench --long     with 100,000 cases, and the rate-limited servers, each of which takes 20 s
//   pnpm bench start …    some by name
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { cli, inTempFolder, median, medians, nodeAlone, root, row, startServer, wallMs } from "./support.js";
import { comparisonRows } from "./comparison.js";
import { rateLimitedRows } from "./rate-limited.js";
import { writeLargeConfig, writeThroughputConfig } from "./write-configs.js";

const example = ["test", "-c", join(root, "kindlm.yaml.example")];
const ms = (value) => `${value.toFixed(value < 10 ? 3 : 0)} ms`;

const figures = {
  async start() {
    const [kindlm, node] = medians([() => wallMs([cli, "--version"]), nodeAlone], 15);
    return [row("start", kindlm / node, 1.3, `${ms(kindlm)} ÷ ${ms(node)}`)];
  },

  async validate() {
    return inTempFolder((folder) => {
      const file = writeLargeConfig(folder);
      const size = Math.round(statSync(file).size / 1024);
      const [kindlm, node] = medians([() => wallMs([cli, "validate", file]), nodeAlone], 9);
      return [row("validate", kindlm / node, 10, `${ms(kindlm)} ÷ ${ms(node)}, ${size} KiB`)];
    });
  },

  async offline() {
    const [kindlm, node] = medians([() => wallMs([cli, ...example]), nodeAlone], 15);
    return [row("one offline test", kindlm / node, 5, `${ms(kindlm)} ÷ ${ms(node)}`)];
  },

  async throughput() {
    const server = await startServer(0);
    const concurrency = 50;
    const rows = await inTempFolder((folder) => {
      const options = { url: server.url, concurrency };
      const small = writeThroughputConfig(folder, { ...options, cases: 1_000, name: "small" });
      const large = writeThroughputConfig(folder, { ...options, cases: 10_000, name: "large" });
      const ratios = [];
      const details = [];
      for (let round = 0; round < 5; round += 1) {
        const one = wallMs([cli, "test", "-c", small]);
        const ten = wallMs([cli, "test", "-c", large]);
        const perCase = (ten - one) / 9_000;
        const bare = bareLoopMs(server.url, 10_000, concurrency);
        ratios.push(perCase / bare);
        details.push(`${ms(perCase)} ÷ ${ms(bare)}`);
      }
      const ratio = median(ratios);
      return [row("throughput", ratio, 3, details[ratios.indexOf(ratio)])];
    });
    server.stop();
    return rows;
  },

  async durability() {
    const measured = [];
    for (const [latencyMs, cases, concurrency] of [
      [5, 5_000, 10],
      [0, 10_000, 50],
    ]) {
      const server = await startServer(latencyMs);
      const rows = await inTempFolder((folder) => {
        const file = writeThroughputConfig(folder, { url: server.url, cases, concurrency, name: "durability" });
        const run = (...flags) => wallMs([cli, "test", "-c", file, ...flags]);
        const [kept, lost] = medians([() => run(), () => run("--no-journal")], 5);
        const what = `durability, ${latencyMs} ms server`;
        return [row(what, kept / lost, 1.1, `${ms(kept)} ÷ ${ms(lost)}, ${cases} cases`)];
      });
      server.stop();
      measured.push(...rows);
    }
    return measured;
  },

  async waiting() {
    const server = await startServer(50);
    const rows = await inTempFolder((folder) => {
      const file = writeThroughputConfig(folder, { url: server.url, cases: 1_000, concurrency: 50, name: "waiting" });
      const [run, offline] = medians([() => wallMs([cli, "test", "-c", file]), () => wallMs([cli, ...example])], 5);
      const ideal = (1_000 * 50) / 50;
      return [row("waiting", (run - offline) / ideal, 1.25, `(${ms(run)} − ${ms(offline)}) ÷ ${ms(ideal)}`)];
    });
    server.stop();
    return rows;
  },

  comparison: comparisonRows,

  "rate-limited": rateLimitedRows,

  async growth() {
    const server = await startServer(0);
    const rows = await inTempFolder((folder) => {
      const measure = (cases) => {
        const options = { url: server.url, cases, concurrency: 50, name: `growth-${cases}` };
        return resourcesOf([cli, "test", "-c", writeThroughputConfig(folder, options)]);
      };
      const small = measure(1_000);
      const medium = measure(10_000);
      const large = measure(100_000);
      const cpu = (large.cpuMs - medium.cpuMs) / 90_000 / ((medium.cpuMs - small.cpuMs) / 9_000);
      const perCase = (large.peakKib - medium.peakKib) / 90_000;
      return [
        row("growth", cpu, 1.1, "CPU per further case, 10,000 to 100,000 ÷ 1,000 to 10,000"),
        row("memory, MiB", large.peakKib / 1024, 300, "peak RSS at 100,000 one-turn cases"),
        row("memory, KiB per further case", perCase, 1, "10,000 to 100,000"),
      ];
    });
    server.stop();
    return rows;
  },
};

function bareLoopMs(url, count, concurrency) {
  const args = [join(root, "bench", "bare-loop.js"), url, String(count), String(concurrency)];
  const done = spawnSync(process.execPath, args, { encoding: "utf8" });
  if (done.status !== 0) throw new Error(done.stderr);
  return Number(done.stdout);
}

/** CPU time and peak memory of a process, told by itself at its end. */
function resourcesOf(args) {
  const probe = `process.on("exit", () => { const u = process.resourceUsage();
    require("node:fs").writeSync(2, "\\n@" + JSON.stringify({ cpuMs: (u.userCPUTime + u.systemCPUTime) / 1000, peakKib: u.maxRSS })); });`;
  const required = `data:text/javascript,import { createRequire } from "node:module"; const require = createRequire("${root}/"); ${probe}`;
  const done = spawnSync(process.execPath, ["--import", required, ...args], {
    cwd: root,
    env: { ...process.env, CI: "1", NO_COLOR: "1", DEBUG: "" },
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  const told = /@(\{.*\})/.exec(done.stderr)?.[1];
  if (told === undefined) throw new Error(`no figures: ${done.status} ${done.stderr.slice(0, 2_000)}`);
  return JSON.parse(told);
}

const long = new Set(["growth", "rate-limited"]);
const asked = process.argv.slice(2).filter((name) => !name.startsWith("-"));
const withLong = process.argv.includes("--long");
const names = asked.length > 0 ? asked : Object.keys(figures).filter((name) => withLong || !long.has(name));
const unknown = names.find((name) => !Object.hasOwn(figures, name));
if (unknown !== undefined) {
  process.stderr.write(`There is no figure "${unknown}". There are: ${Object.keys(figures).join(", ")}\n`);
  process.exitCode = 1;
} else {
  const rows = [];
  for (const name of names) rows.push(...(await figures[name]()));
  console.table(rows);
}
