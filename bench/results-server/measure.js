import { spawn } from "node:child_process";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { createRandom } from "../../packages/core/build/values/random.js";
import { root } from "../support.js";
import { badgeKey, cookies, tokens } from "./load-history.js";
import { caseOf, runOf } from "./sample-run.js";

const program = join(root, "packages", "server", "dist", "bin.js");

/** Starts the server on a loaded database, as long as the action takes, which gets its address and process id. */
export async function withResultsServer(place, action) {
  const words = place.startsWith("postgres:") ? ["--database", place] : ["--data", place];
  const child = spawn(process.execPath, [program, "--port", "0", ...words], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  try {
    const origin = await new Promise((resolve, reject) => {
      let text = "";
      child.stdout.on("data", (chunk) => {
        text += chunk;
        const found = /"Listening on (http:[^"]+)"/.exec(text)?.[1];
        if (found !== undefined) resolve(found);
      });
      void ended.then((code) => reject(new Error(`the server ended with ${code}`)));
    });
    return await action(origin, child.pid);
  } finally {
    child.kill();
    await ended;
  }
}

const percentile = (values, share) => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)];
};

async function timed(action) {
  const from = performance.now();
  await action();
  return performance.now() - from;
}

/** A request of a program, or of a person for a page. */
async function get(origin, path, index) {
  const isPage = /^\/(?:p|r|badge)\//.test(path);
  const headers = isPage ? { cookie: `kindlm=${cookies[index]}` } : { authorization: `Bearer ${tokens[index]}` };
  const answer = await fetch(`${origin}${isPage ? "" : "/api/v1/projects/shop"}${path}`, {
    headers,
    redirect: "manual",
  });
  const text = await answer.text();
  // The link of a comment leads to the page of its run.
  if (answer.status !== (path.startsWith("/r/") ? 303 : 200)) throw new Error(`${path}: ${answer.status} ${text}`);
}

/** What programs and pages read of a history, each as the path of a random call. */
const queries = ({ runs, cases, suites }, pick) => {
  const run = () => `run-${pick(runs) + 1}`;
  const newest = () => `run-${runs - pick(Math.min(runs, 200))}`;
  const branch = () => `branch-${pick(10) * 10 + 7 + pick(3)}`;
  const suite = () => `suite=suite-${pick(suites)}`;
  const oneCase = () => {
    const one = pick(cases) + 1;
    return `case=${encodeURIComponent(`suite-${one % suites}/case-${one}@gpt`)}`;
  };
  return {
    "50 newest runs": () => "/runs?most=50",
    "50 runs of a branch": () => `/runs?most=50&branch=${branch()}`,
    "suite trend": () => `/trends?${suite()}&most=100`,
    "suite trend of a branch": () => `/trends?${suite()}&most=100&branch=${branch()}`,
    "case trend": () => `/trends?${oneCase()}&most=100`,
    "case trend of a branch": () => `/trends?${oneCase()}&most=100&branch=${branch()}`,
    "compare two runs": () => `/compare?before=${run()}&after=${run()}`,
    "compare branches": () => `/compare?by=branch&before=main&after=${branch()}`,
    "flaky ranking": () => "/flaky?days=30",
    "one run": () => `/runs/${newest()}`,
    "a page of its cases": () => `/runs/${newest()}/cases?most=50`,
    badge: () => `/badge/${badgeKey}.svg`,
    "badge of a branch": () => `/badge/${badgeKey}.svg?branch=${branch()}`,
    "link of a comment": () => `/r/${newest()}`,
    "page: run": () => `/p/shop/runs/${newest()}`,
    "page: trends": () => "/p/shop/trends",
    "page: trend of a suite": () => `/p/shop/trends?${suite()}`,
    "page: trend of a case": () => `/p/shop/trends?${oneCase()}`,
    "page: flaky": () => "/p/shop/flaky?days=30",
    "page: compare runs": () => `/p/shop/compare?before=${run()}&after=${run()}`,
    "page: compare branches": () => `/p/shop/compare?by=branch&before=main&after=${branch()}`,
  };
};

/** Milliseconds of 200 random calls of each query, one after the other. */
export async function measureQueries(origin, history, { calls = 200, seed = 1 } = {}) {
  const random = createRandom(seed);
  const pick = (most) => Math.floor(random() * most);
  /** @type {Record<string, { p50: number, p95: number, max: number }>} */
  const found = {};
  for (const [index, [name, path]] of Object.entries(queries(history, pick)).entries()) {
    const times = [];
    // A token, or a person, may make 600 reads in a minute.
    for (let call = 0; call < calls; call += 1) times.push(await timed(() => get(origin, path(), index)));
    found[name] = { p50: percentile(times, 0.5), p95: percentile(times, 0.95), max: Math.max(...times) };
  }
  return found;
}

/** A run as the client sends it. */
function uploadOf(run, { cases, suites }, trials) {
  const all = Array.from({ length: cases }, (_, index) => caseOf(index + 1, suites, trials));
  return gzipSync(JSON.stringify({ run: runOf(run, { cases, suites }), cases: all }));
}

async function put(origin, run, body, token) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", "content-encoding": "gzip" };
  const answer = await fetch(`${origin}/api/v1/projects/shop/runs/${run}`, { method: "PUT", headers, body });
  return { status: answer.status, text: await answer.text() };
}

/**
 * Uploads from several clients at once, each run after the other, while somebody asks for the health of the server every
 * 50 ms. Gives milliseconds, the statuses, and runs per second.
 */
export async function measureIngest(
  origin,
  history,
  { clients = 8, runs = 20, trials = 1, name = `up-${trials}` } = {},
) {
  const bodies = Array.from({ length: clients }, (_, client) =>
    Array.from({ length: runs }, (__, index) => [
      `${name}-${client}-${index}`,
      uploadOf(`${name}-${client}-${index}`, history, trials),
    ]),
  );
  // The server has closed connections that were idle meanwhile.
  await new Promise((resolve) => setTimeout(resolve, 200));
  const statuses = new Map();
  const [times, health] = [[], []];
  let isUploading = true;
  const watch = async () => {
    while (isUploading) {
      health.push(await timed(() => fetch(`${origin}/healthz`).then((answer) => answer.text())));
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const client = async (own, index) => {
    for (const [run, body] of own) {
      const from = performance.now();
      const { status, text } = await put(origin, run, body, tokens[20 + (index % 20)]);
      times.push(performance.now() - from);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status >= 500) throw new Error(text);
    }
  };
  const watching = watch();
  const from = performance.now();
  await Promise.all(bodies.map(client)).finally(() => (isUploading = false));
  const seconds = (performance.now() - from) / 1_000;
  await watching;
  const figures = (all) => ({ p50: percentile(all, 0.5), p95: percentile(all, 0.95), max: Math.max(...all) });
  return {
    upload: figures(times),
    health: figures(health),
    statuses: Object.fromEntries(statuses),
    runsPerSecond: (clients * runs) / seconds,
  };
}
