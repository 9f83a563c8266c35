import { spawn, type ChildProcess, type ChildProcessWithoutNullStreams } from "node:child_process";
import { attemptSync } from "../errors/boundary.js";
import { failure, success, type Result } from "../result.js";
import type { Clock } from "../values/clock.js";
import { explainStartFailure, type StartFailure } from "./explain-start-failure.js";
import { endProcessGroup } from "./signal-process.js";
import type { ProcessInput, ProcessOutcome, ProcessRequest, ProcessRunner } from "./process-runner.js";
import { StringDecoder } from "node:string_decoder";
import type { Readable } from "node:stream";

const defaultMaxBytes = 10 * 1024 * 1024;
/** How long a process may take to end in good order before it is killed; an interrupted run has two seconds in all. */
const graceMs = { timeout: 2_000, abort: 1_000, output: 1_000 };
/** How long output may still arrive after the end, should a process that left the group hold the pipe. */
const drainMs = 500;

/**
 * Runs real child processes, each leading its own process group, without a shell.
 *
 * On timeout or abort the group gets SIGTERM, and SIGKILL 2 s after a timeout or 1 s after an abort. When the program
 * ends, whatever it left running in its group is killed.
 *
 * @param atExit - takes what is to be done when the calling process ends in the middle of it all: every group is killed
 */
export function createProcessRunner(clock: Clock, atExit?: (callback: () => void) => void): ProcessRunner {
  const running = new Set<ChildProcess>();
  atExit?.(() => {
    for (const child of running) endProcessGroup(child, "SIGKILL");
  });
  return {
    async run(request) {
      if (request.signal.aborted) {
        return success({ exitCode: null, signal: null, stdout: "", stderr: "", endedBy: "abort" });
      }
      const started = start(request);
      if (!started.success) return failure(await explainStartFailure(request, started.error));
      running.add(started.data);
      const ended = await supervise(started.data, request, clock);
      running.delete(started.data);
      return ended;
    },
  };
}

function start({
  command: [program, ...args],
  cwd,
  env,
}: ProcessRequest): Result<ChildProcessWithoutNullStreams, unknown> {
  return attemptSync(
    () => spawn(program, args, { cwd, env: { ...env }, detached: true, windowsHide: true, stdio: "pipe" }),
    (cause) => cause,
  );
}

function supervise(
  child: ChildProcessWithoutNullStreams,
  request: ProcessRequest,
  clock: Clock,
): Promise<Result<ProcessOutcome, StartFailure>> {
  const { signal, timeoutMs, maxBytes = defaultMaxBytes } = request;
  const stdout = request.converse === undefined ? collectOutput(child.stdout, maxBytes, () => end("output")) : () => "";
  const { stderrTailBytes } = request;
  const stderr =
    stderrTailBytes === undefined ? collectOutput(child.stderr, maxBytes) : collectTail(child.stderr, stderrTailBytes);
  const cancels: (() => void)[] = [];
  let endedBy: ProcessOutcome["endedBy"] = null;

  const end = (reason: NonNullable<ProcessOutcome["endedBy"]>): void => {
    if (endedBy !== null) return;
    const hasExited = child.exitCode !== null || child.signalCode !== null;
    // Output may come to its bound after the end, a deadline not.
    if (hasExited && reason !== "output") return;
    endedBy = reason;
    if (hasExited) return;
    endProcessGroup(child, "SIGTERM");
    cancels.push(clock.after(graceMs[reason], () => endProcessGroup(child, "SIGKILL")));
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
          child.stdout.destroy();
          child.stderr.destroy();
        }),
      );
    });
    child.once("close", (exitCode, endSignal) => {
      // What never started is closed as well.
      if (child.pid === undefined) return;
      finish(success({ exitCode, signal: endSignal, stdout: stdout(), stderr: stderr(), endedBy }));
    });
    // A program that ends without reading its input closes the pipe, which is nobody's fault.
    child.stdin.on("error", () => {});
    if (request.converse === undefined) return void child.stdin.end(request.stdin);
    child.stdout.on("data", request.converse(inputOf(child)));
    child.stdout.on("error", () => {});
  });
}

function inputOf({ stdin }: ChildProcessWithoutNullStreams): ProcessInput {
  return {
    write(text) {
      if (stdin.writable) stdin.write(text);
    },
    end: () => void stdin.end(),
  };
}

/**
 * Keeps the first `maxBytes` of a stream and reads the rest away, so that the writer never blocks on a full pipe.
 * `onFull` hears once that there was more.
 */
function collectOutput(stream: Readable, maxBytes: number, onFull?: () => void): () => string {
  const chunks: Buffer[] = [];
  let kept = 0;
  let isFull = false;
  stream.on("data", (chunk: Buffer) => {
    if (kept + chunk.length > maxBytes && !isFull) {
      isFull = true;
      onFull?.();
    }
    if (kept >= maxBytes) return;
    const piece = chunk.subarray(0, maxBytes - kept);
    chunks.push(piece);
    kept += piece.length;
  });
  // A broken pipe ends the output; what came before it still counts.
  stream.on("error", () => {});
  // The decoder leaves out a character that the bound cut in two.
  return () => new StringDecoder("utf8").write(Buffer.concat(chunks));
}

/** Keeps the last `maxBytes` of a stream. */
function collectTail(stream: Readable, maxBytes: number): () => string {
  let tail = Buffer.alloc(0);
  stream.on("data", (chunk: Buffer) => {
    tail = Buffer.concat([tail, chunk]);
    if (tail.length > maxBytes) tail = tail.subarray(tail.length - maxBytes);
  });
  stream.on("error", () => {});
  // A character that the cut has left the end of starts with bytes that continue one.
  return () => {
    let from = 0;
    while (from < 3 && ((tail[from] ?? 0) & 0xc0) === 0x80) from += 1;
    return tail.toString("utf8", from);
  };
}
