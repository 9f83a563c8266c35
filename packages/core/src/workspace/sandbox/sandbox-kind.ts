import type { ProcessOutcome, ProcessRunner } from "../../processes/process-runner.js";
import type { SandboxName } from "../../transcript/workspace-record.js";

/** A program and its arguments. */
export type Line = readonly [string, ...string[]];

/** What a sandbox is made for. All paths are absolute and without links. */
export interface SandboxPlace {
  /** Holds the others; nothing else of the machine can be written. */
  parent: string;
  /** Where programs start. */
  root: string;
  home: string;
  /** Of its programs; the folders of `PATH` can be read. */
  env: Readonly<Record<string, string | undefined>>;
  /** Home of the user, which is not shown as a whole even if `PATH` names it. */
  userHome: string | undefined;
  /** Whether the network of the machine can be used; else there is loopback only. */
  network: boolean;
}

/**
 * A program that keeps others apart from the rest of the machine. In each kind of sandbox, a program has its own processes:
 * what is left when it ends is killed by the system before its line ends.
 */
export interface SandboxKind {
  name: Exclude<SandboxName, "none">;
  /** Whether files of the user other than the trial's cannot be read or changed in it. */
  keepsFilesApart: boolean;
  /** Folders that must exist before the first program runs. */
  foldersOf(place: SandboxPlace): readonly string[];
  /** Prints its process id on a line, and holds a network with nothing but loopback until its input ends. */
  holdNetwork: Line;
  /** Begins a line that is to run in the network which this process holds. */
  enterNetwork(holder: string): Line;
  /** The line that runs a program in a new sandbox. It contains `aroundProgram`. */
  wrap(place: SandboxPlace, program: Line): Line;
}

/** What the shell around a program writes when the sandbox has been made. */
const startedMark = "started";

/**
 * The shell around a program, which is the first process of its sandbox. Its own stderr takes what the makers of the sandbox
 * say, and file 3 what the program writes to stderr.
 */
export function aroundProgram(program: Line): Line {
  return ["/bin/sh", "-c", `echo ${startedMark} >&2; (exec "$@") 2>&3 3>&-; exit $?`, "sh", ...program];
}

type Ran = Awaited<ReturnType<ProcessRunner["run"]>>;

/** Whether a sandbox was made, and the program in it started. */
export function wasMade(ran: Ran): boolean {
  return ran.success && linesOf(ran.data).includes(startedMark);
}

/** What was said when a sandbox or its network was not made. */
export function complaintOf(ran: Ran, { name }: SandboxKind): string {
  if (!ran.success) return ran.error.message;
  const { exitCode, signal } = ran.data;
  return linesOf(ran.data)[0] || `${name} ended with ${exitCode ?? signal ?? "no exit code"}`;
}

function linesOf({ said, stderr }: ProcessOutcome): readonly string[] {
  return (said ?? stderr).trim().split("\n");
}
