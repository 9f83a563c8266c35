import { spawn, type ChildProcess } from "node:child_process";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createManualClock } from "../__fixtures__/manual-clock.js";
import { isLocked, takeRunLock } from "./run-lock.js";

let folder = "";
let file = "";
const children = new Set<ChildProcess>();
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "kindlm-lock-"));
  file = path.join(folder, "lock");
});
afterEach(() => {
  for (const child of children) child.kill("SIGKILL");
  children.clear();
  rmSync(folder, { recursive: true });
});

const take = (clock = createManualClock({ start: Date.now() })) => takeRunLock(file, "the-run/lock", clock);

function writeLock(pid: number, host = hostname(), at = file): void {
  writeFileSync(at, `${JSON.stringify({ pid, host, startedAt: "2026-02-15T10:30:00.000Z" })}\n`);
}

/** A process that does nothing until it is ended. */
function startIdle(script = "setInterval(() => {}, 1000)"): ChildProcess {
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["pipe", "pipe", "inherit"] });
  children.add(child);
  return child;
}

const ended = (child: ChildProcess): Promise<unknown> => new Promise((resolve) => child.once("exit", resolve));

describe("takeRunLock", () => {
  it("makes a file that names its process, and takes it away when it lets go", async () => {
    const lock = await take();
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ pid: process.pid, host: hostname() });
    if (lock.success) await lock.data.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it("lets go once: what is there later is the lock of somebody else", async () => {
    const lock = await take();
    if (lock.success) await lock.data.release();
    writeLock(1);
    if (lock.success) await lock.data.release();
    expect(readdirSync(folder)).toEqual(["lock"]);
  });

  it("is refused while another process holds it, and had once that one has died", async () => {
    const holder = startIdle();
    writeLock(holder.pid ?? 0);
    expect(await isLocked(file, createManualClock())).toBe(true);
    expect(await take()).toEqual({
      success: false,
      error: {
        code: "STORE_LOCKED",
        message: `Process ${holder.pid} on ${hostname()} is working on this run (the-run/lock)`,
        details: { path: "the-run/lock" },
      },
    });
    holder.kill("SIGKILL");
    await ended(holder);
    expect(await isLocked(file, createManualClock())).toBe(false);
    expect((await take()).success).toBe(true);
    expect(readdirSync(folder)).toEqual(["lock"]);
  });

  it("is had when its holder has ended and nobody has asked how", async ({ annotate }) => {
    if (!existsSync("/proc/self/stat")) {
      await annotate("a lock whose holder is a zombie: this system does not show which processes are", "untested");
      return;
    }
    // A shell that starts a process and becomes another program before that has ended leaves a zombie.
    const script = "sleep 0.3 & echo $!; exec sleep 60";
    const parent = spawn("bash", ["-c", script], { stdio: ["ignore", "pipe", "inherit"] });
    children.add(parent);
    const [pid] = await new Promise<string[]>((resolve) =>
      parent.stdout.once("data", (text: Buffer) => resolve(text.toString().split("\n"))),
    );
    const isZombie = (): boolean => readFileSync(`/proc/${pid}/stat`, "latin1").includes(") Z ");
    await expect.poll(isZombie).toBe(true);
    writeLock(Number(pid));
    expect((await take()).success).toBe(true);
  });

  it.each([
    { of: "another machine that was at work a moment ago", ageMs: 60_000, isHeld: true },
    { of: "another machine that has shown no life for long", ageMs: 180_000, isHeld: false },
  ])("knows a process of $of by the time of the file", async ({ ageMs, isHeld }) => {
    writeLock(1, "another.machine.example");
    const clock = createManualClock({ start: statSync(file).mtimeMs + ageMs });
    expect(await isLocked(file, clock)).toBe(isHeld);
    expect((await take(clock)).success).toBe(!isHeld);
  });

  it.each([
    { ageMs: 1_000, isHeld: true },
    { ageMs: 180_000, isHeld: false },
  ])("leaves a file alone that its maker may be about to write into ($ageMs ms old)", async ({ ageMs, isHeld }) => {
    writeFileSync(file, "");
    const clock = createManualClock({ start: statSync(file).mtimeMs + ageMs });
    const taken = await take(clock);
    expect(taken.success).toBe(!isHeld);
    if (!taken.success) expect(taken.error.message).toContain("Another process is working");
  });

  it("takes its own number in the file for that of an earlier life, as containers give it again", async () => {
    writeLock(process.pid);
    expect((await take()).success).toBe(true);
  });

  it("shows every quarter of a minute that it lives", async () => {
    const clock = createManualClock({ start: Date.now() });
    const lock = await take(clock);
    utimesSync(file, 0, 0);
    clock.advance(15_000);
    await expect.poll(() => Math.round(statSync(file).mtimeMs)).toBe(clock.now());
    if (lock.success) await lock.data.release();
    clock.advance(60_000);
    expect(existsSync(file)).toBe(false);
  });

  it("says that it cannot be made", async () => {
    expect(await takeRunLock(path.join(folder, "missing", "lock"), "lock", createManualClock())).toMatchObject({
      success: false,
      error: { code: "STORE_WRITE_ERROR", details: { path: "lock", systemCode: "ENOENT" } },
    });
  });

  it("is had although a process died while it took the lock over from another dead one", async () => {
    const dead = startIdle("");
    await ended(dead);
    for (const at of [file, `${file}.taking`]) writeLock(dead.pid ?? 0, hostname(), at);
    expect((await take()).success).toBe(true);
    expect(readdirSync(folder)).toEqual(["lock"]);
  });

  it("is refused while a process that lives takes it over", async () => {
    const dead = startIdle("");
    await ended(dead);
    writeLock(dead.pid ?? 0);
    const taking = startIdle();
    writeLock(taking.pid ?? 0, hostname(), `${file}.taking`);
    const taken = await take();
    expect(taken.success ? "" : taken.error.message).toContain(`Process ${taking.pid} on`);
  });

  it("is had by one alone of many processes that find a dead one's file at the same time", async () => {
    const locks = Array.from({ length: 40 }, (_, at) => path.join(folder, `lock-${at}`));
    const dead = startIdle("");
    await ended(dead);
    for (const at of locks) writeLock(dead.pid ?? 0, hostname(), at);
    const script = `
      import { takeRunLock } from ${JSON.stringify(path.join(import.meta.dirname, "../../build/journal/run-lock.js"))};
      const clock = { now: () => Date.now(), monotonic: () => 0, after: () => () => {}, sleep: async () => {} };
      process.stdout.write("ready\\n");
      process.stdin.once("data", async () => {
        const won = [];
        for (const at of ${JSON.stringify(locks)}) if ((await takeRunLock(at, at, clock)).success) won.push(at);
        process.stdout.write(JSON.stringify(won) + "\\n");
      });`;
    const racers = Array.from({ length: 5 }, () => startIdle(script));
    const answer = (racer: ChildProcess): Promise<string> =>
      new Promise((resolve) => racer.stdout?.once("data", (text: Buffer) => resolve(text.toString())));
    await Promise.all(racers.map(answer));
    const answers = racers.map(answer);
    for (const racer of racers) racer.stdin?.write("go\n");
    const won = (await Promise.all(answers)).flatMap((text) => JSON.parse(text) as string[]);
    expect(won.toSorted()).toEqual(locks.toSorted());
    expect(readdirSync(folder)).toHaveLength(locks.length);
  });
});
