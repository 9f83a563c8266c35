import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { withoutVolatileFields } from "../../packages/core/src/reporters/json/without-volatile-fields.js";
import { createRandom } from "../../packages/core/src/values/random.js";
import { makeProject } from "../../packages/core/src/__fixtures__/make-project.js";
import { runCli } from "./run-cli.js";
import { startCli } from "./start-cli.js";
import { sendJson, startServer, type LoopbackServer } from "../../packages/core/src/__fixtures__/start-server.js";

/** Cases of 2 trials; every tenth case fails, so that a verdict that is lost would be seen. */
function makeKillProject(server: LoopbackServer, caseCount: number): string {
  const rows = Array.from({ length: caseCount }, (_, index) => JSON.stringify({ id: `r${index}`, n: index }));
  return makeProject({
    "rows.jsonl": rows.join("\n"),
    "kindlm.yaml": `version: 1
providers: { local: { type: openai, base_url: "${server.url}/v1" } }
models: [{ id: m, provider: local, model: m, circuit_breaker: false }]
suites:
  - name: s
    tests:
      - name: counts
        dataset: rows.jsonl
        runs: 2
        input: "question {{n}}"
        assert: [{ type: contains, value: "answer {{n}}" }]
`,
  });
}

interface AnsweringServer extends LoopbackServer {
  /** Resolves when so many requests have come since the server was started. */
  hasReceived(count: number): Promise<void>;
}

/** Answers after a moment that differs from question to question, and wrongly where the number ends with 7. */
async function startAnswering(): Promise<AnsweringServer> {
  const waiting = new Map<number, () => void>();
  const server = await startServer((request, response) => {
    waiting.get(request.number)?.();
    const number = questionIn(request.body);
    const content = number % 10 === 7 ? "no idea" : `answer ${number}`;
    setTimeout(
      () =>
        sendJson(response, 200, {
          id: "reply",
          model: "m",
          choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content } }],
          usage: { prompt_tokens: 3, completion_tokens: 2 },
        }),
      number % 13,
    );
  });
  onTestFinished(() => server.close());
  return {
    ...server,
    hasReceived: (count) =>
      server.requests.length >= count ? Promise.resolve() : new Promise((resolve) => void waiting.set(count, resolve)),
  };
}

function questionIn(body: string): number {
  return Number(/question (\d+)/.exec(body)?.[1]);
}

/** How often each question was asked. */
function asked(server: LoopbackServer, since: number): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const { body } of server.requests.slice(since)) {
    counts.set(questionIn(body), (counts.get(questionIn(body)) ?? 0) + 1);
  }
  return counts;
}

/** Keys of the trials in the journal, read with no code of KindLM's: whole lines, a torn one left out. */
function finishedTrials(cwd: string): ReadonlySet<string> {
  const run = readdirSync(join(cwd, ".kindlm", "runs")).find((name) => name !== ".gitignore");
  if (run === undefined) return new Set();
  const journal = join(cwd, ".kindlm", "runs", run, "journal.jsonl");
  // It may have been killed between the two.
  if (!existsSync(journal)) return new Set();
  const text = readFileSync(journal, "utf8");
  const lines = text.slice(0, text.lastIndexOf("\n") + 1).split("\n");
  const keys = lines.flatMap((line) => {
    if (line === "") return [];
    const record = JSON.parse(line) as { kind: string; trial?: { caseId: string; trial: number } };
    return record.kind === "trial" && record.trial !== undefined
      ? [`${record.trial.caseId} ${record.trial.trial}`]
      : [];
  });
  expect(keys.length, "a finished trial was written twice").toBe(new Set(keys).size);
  return new Set(keys);
}

function told(cwd: string, file: string): readonly string[] {
  const text = readFileSync(join(cwd, file), "utf8");
  return text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .flatMap((line) => {
      if (line === "") return [];
      const event = JSON.parse(line) as { type: string; caseId: string; trial: number };
      return event.type === "trial:end" ? [`${event.caseId} ${event.trial}`] : [];
    });
}

/**
 * Starts a run and kills it `kills` times at random moments, going on each time; then lets it end. Holds it to its
 * promises on the way: what was told to be finished is in the journal, what is in the journal stays there and is not
 * asked for again. At the end it is what a run is that nobody has killed.
 */
export async function killAndResume(kills: number, seed: number, caseCount = 100): Promise<void> {
  const killed = reportOfKilled(kills, createRandom(seed), caseCount);
  const [whole, resumed] = await Promise.all([reportOfWhole(caseCount), killed]);
  expect(resumed).toEqual(whole);
}

const args = ["test", "--concurrency", "10"];

async function reportOfWhole(caseCount: number): Promise<unknown> {
  return reportOf(makeKillProject(await startAnswering(), caseCount));
}

async function reportOf(cwd: string, ...more: readonly string[]): Promise<unknown> {
  const ran = await runCli([...args, ...more, "--reporter", "json"], { cwd });
  expect(ran.code, ran.stderr).toBe(1);
  return withoutVolatileFields(JSON.parse(ran.stdout));
}

async function reportOfKilled(kills: number, random: () => number, caseCount: number): Promise<unknown> {
  const server = await startAnswering();
  const cwd = makeKillProject(server, caseCount);
  const trialCount = 2 * caseCount;
  let before: ReadonlySet<string> = new Set();
  for (let kill = 0; kill < kills; kill += 1) {
    const since = server.requests.length;
    const events = `events-${kill}.jsonl`;
    const isFirst = kill === 0;
    const cli = startCli([...args, ...(isFirst ? [] : ["--resume"]), "--events", events], { cwd });
    // The first kill comes in the middle of things, so that there is a run to go on with.
    const requests = Math.floor(random() * ((2 * (trialCount - before.size)) / (kills - kill + 1))) + (isFirst ? 5 : 0);
    await Promise.race([server.hasReceived(since + requests), cli.finished]);
    for (let ticks = Math.floor(random() * 20); ticks > 0; ticks -= 1) await nextTick();
    cli.child.kill("SIGKILL");
    await cli.finished;
    const after = finishedTrials(cwd);
    expect(
      [...before].filter((key) => !after.has(key)),
      "lost",
    ).toEqual([]);
    if (requests > 0)
      expect(
        told(cwd, events).filter((key) => !after.has(key)),
        "told, then lost",
      ).toEqual([]);
    expectNoneRepeated(asked(server, since), before);
    before = after;
  }
  const since = server.requests.length;
  const report = await reportOf(cwd, "--resume");
  expectNoneRepeated(asked(server, since), before);
  expect(server.requests.length - since).toBe(trialCount - before.size);
  expect(finishedTrials(cwd).size).toBe(trialCount);
  return report;
}

function expectNoneRepeated(counts: ReadonlyMap<number, number>, finished: ReadonlySet<string>): void {
  for (const [number, count] of counts) {
    const done = [1, 2].filter((trial) => finished.has(`s/counts[r${number}]@m ${trial}`)).length;
    expect(count, `question ${number}, of which ${done} trials were finished`).toBeLessThanOrEqual(2 - done);
  }
}

function nextTick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
