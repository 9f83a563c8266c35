import { spawn, type ChildProcess, type ChildProcessWithoutNullStreams } from "node:child_process";
import { Readable } from "node:stream";
import { attemptSync } from "../errors/boundary.js";
import { failure, success, type Result } from "../result.js";
import type { Clock } from "../values/clock.js";
import { collectOutput, collectTail } from "./collect-output.js";
import { explainStartFailure, type StartFailure } from "./explain-start-failure.js";
import { innerStderr, spawnWithoutInherited } from "./spawn-without-inherited.js";
import { countInSandbox, endProcessGroup, killChildren, signalGroup } from "./signal-process.js";
import { endStrays, findStrays, killStrays, strayMark, withMark } from "./stray-processes.js";
import type { ProcessInput, ProcessOutcome, ProcessRequest, ProcessRunner } from "./process-runner.js";

const defaultMaxBytes = 10 * 1024 * 1024;
/**
 * How long a process may take to end in good order before it is killed. An interrupted run has two seconds in all, in
 * which modules may take one to end, and the report is printed.
 */
const graceMs = { timeout: 2_000, abort: 500, output: 1_000 };
/** How long output may still arrive after the end, should a process that left the group hold the pipe. */
const drainMs = 500;
/** How much is kept of what the maker of a sandbox says. */
const maxSaidBytes = 64 * 1024;

/**
 * Runs real child processes, each leading its own process group, without a shell.
 *
 * On timeout or abort the group gets SIGTERM, and SIGKILL 2 s after a timeout or 0.5 s after an abort. When the program
 * ends, whatever it left running in its group is killed.
 *
 * @param atExit - takes what is to be done when the calling process ends in the middle of it all: every group is killed
 */
export function createProcessRunner(clock: Clock, atExit?: (callback: () => void) => void): ProcessRunner {
  /** With the mark of what it may leave behind. */
  const running = new Map<ChildProcess, string | null>();
  atExit?.(() => {
    for (const [child, mark] of running) {
      endProcessGroup(child, "SIGKILL");
      if (mark !== null) killStrays(mark);
    }
  });
  return {
    async run(request) {
      if (request.signal.aborted) {
        return success({ exitCode: null, signal: null, stdout: "", stderr: "", endedBy: "abort" });
      }
      const mark = request.endsStrays === true ? strayMark() : null;
      const started = start(request, mark);
      if (!started.success) return failure(await explainStartFailure(request, started.error));
      running.set(started.data, mark);
      request.started?.({ countProcesses: () => countProcesses(started.data, mark) });
      const ended = await supervise(started.data, request, clock);
      if (mark !== null) await endStrays(mark);
      running.delete(started.data);
      return ended;
    },
  };
}

/** `mark`: null for a program with its own processes. Others stand still meanwhile, or they might grow faster. */
function countProcesses(child: ChildProcess, mark: string | null): number {
  if (mark === null) return countInSandbox(child);
  signalGroup(child, "SIGSTOP");
  const { length } = findStrays(mark);
  signalGroup(child, "SIGCONT");
  return length;
}

function start(
  { command: [program, ...args], cwd, env: given, makesSandbox }: ProcessRequest,
  mark: string | null,
): Result<ChildProcessWithoutNullStreams, unknown> {
  const env = mark === null ? { ...given } : withMark(given, mark);
  const options = { cwd, env, detached: true, windowsHide: true };
  const started = attemptSync<ChildProcess, unknown>(
    () =>
      makesSandbox === true
        ? spawnWithoutInherited(program, args, options)
        : spawn(program, args, { ...options, stdio: "pipe" }),
    (cause) => cause,
  );
  if (!started.success) return started;
  return hasPipes(started.data) ? success(started.data) : failure(new Error("it has no pipes"));
}

function hasPipes(child: ChildProcess): child is ChildProcessWithoutNullStreams {
  return child.stdin !== null && child.stdout !== null && child.stderr !== null;
}

function supervise(
  child: ChildProcessWithoutNullStreams,
  request: ProcessRequest,
  clock: Clock,
): Promise<Result<ProcessOutcome, StartFailure>> {
  const { signal, timeoutMs } = request;
  const { streams, written } = collect(child, request, () => end("output"));
  const cancels: (() => void)[] = [];
  let endedBy: ProcessOutcome["endedBy"] = null;

  const end = (reason: NonNullable<ProcessOutcome["endedBy"]>): void => {
    if (endedBy !== null) return;
    const hasExited = child.exitCode !== null || child.signalCode !== null;
    // Output may come to its bound after the end, a deadline not.
    if (hasExited && reason !== "output") return;
    endedBy = reason;
    if (hasExited) return;
    const patienceMs = request.graceMs ?? graceMs[reason];
    if (request.makesSandbox !== true || !killChildren(child)) {
      endProcessGroup(child, patienceMs === 0 ? "SIGKILL" : "SIGTERM");
    }
    cancels.push(clock.after(patienceMs || graceMs[reason], () => endProcessGroup(child, "SIGKILL")));
  };
  const onAbort = (): void => end("abort");
  signal.addEventListener("abort", onAbort, { once: true });
  cancels.push(
    () => signal.removeEventListener("abort", onAbort),
    clock.after(timeoutMs, () => end("timeout")),
  );

  return new Promise((resolve) => {
    const finish = (result: Result<ProcessOutcome, StartFailure>): void => {
      for (const cancel of cancels) cancel();
      resolve(result);
    };
    child.once("error", (cause) => {
      // After a start the same event reports a signal that could not be sent, which changes nothing.
      if (child.pid === undefined) void explainStartFailure(request, cause).then((error) => finish(failure(error)));
    });
    child.once("exit", () => {
      endProcessGroup(child, "SIGKILL");
      cancels.push(
        clock.after(drainMs, () => {
          for (const stream of streams) stream.destroy();
        }),
      );
    });
    child.once("close", (exitCode, endSignal) => {
      // What never started is closed as well.
      if (child.pid === undefined) return;
      finish(success({ exitCode, signal: endSignal, endedBy, ...written() }));
    });
    // A program that ends without reading its input closes the pipe, which is nobody's fault.
    child.stdin.on("error", () => {});
    if (request.converse === undefined) return void child.stdin.end(request.stdin);
    child.stdout.on("data", request.converse(inputOf(child)));
    child.stdout.on("error", () => {});
  });
}

/** Takes what the program writes as the request asks for it. */
function collect(
  child: ChildProcessWithoutNullStreams,
  request: ProcessRequest,
  onFull: () => void,
): { streams: readonly Readable[]; written(): Pick<ProcessOutcome, "stdout" | "stderr" | "said"> } {
  const inner = child.stdio[innerStderr];
  if (!(inner instanceof Readable)) {
    const { stdout, stderr } = collectFrom(child, request, onFull);
    return { streams: [child.stdout, child.stderr], written: () => ({ stdout: stdout(), stderr: stderr() }) };
  }
  const { stdout, stderr } = collectFrom({ stdout: child.stdout, stderr: inner }, request, onFull);
  const said = collectOutput(child.stderr, maxSaidBytes);
  const written = () => ({ stdout: stdout(), stderr: stderr(), said: said() });
  return { streams: [child.stdout, child.stderr, inner], written };
}

function collectFrom(
  streams: Record<"stdout" | "stderr", Readable>,
  { converse, observe, maxBytes = defaultMaxBytes, stderrTailBytes }: ProcessRequest,
  onFull: () => void,
): { stdout(): string; stderr(): string } {
  const nothing = (): string => "";
  if (observe !== undefined) {
    for (const stream of ["stdout", "stderr"] as const) {
      streams[stream].on("data", (chunk: Buffer) => observe(stream, chunk));
      streams[stream].on("error", () => {});
    }
    return { stdout: nothing, stderr: nothing };
  }
  return {
    stdout: converse === undefined ? collectOutput(streams.stdout, maxBytes, onFull) : nothing,
    stderr:
      stderrTailBytes === undefined
        ? collectOutput(streams.stderr, maxBytes)
        : collectTail(streams.stderr, stderrTailBytes),
  };
}

function inputOf({ stdin }: ChildProcessWithoutNullStreams): ProcessInput {
  return {
    write(text) {
      if (stdin.writable) stdin.write(text);
    },
    end: () => void stdin.end(),
  };
}
