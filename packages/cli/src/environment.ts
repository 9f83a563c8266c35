import { createRedactor, secretValues, type Redactor } from "@kindlm/core";
import type { Writable } from "node:stream";
import { createFileSinks, type FileSinks } from "./sinks/create-file-sinks.js";
import { createOutput } from "./sinks/create-output.js";
import type { OutputStream } from "./sinks/output-stream.js";

/** The world as the command line sees it. Everything that leaves it passes `redactor`. */
export interface CliEnvironment {
  env: Readonly<Record<string, string | undefined>>;
  /** Absolute. */
  cwd: string;
  stdout: OutputStream;
  stderr: OutputStream;
  files: FileSinks;
  /** What all sinks share, those of core too. It learns more secrets when a config is read. */
  redactor: Redactor;
  /** What is piped into the program; nothing is read before it is asked for. */
  stdin: AsyncIterable<Uint8Array>;
  /** The version of Node.js that runs this, such as `v22.18.0`. */
  nodeVersion: string;
  /** Aborts at the first SIGINT, SIGTERM or SIGHUP. */
  interrupt: AbortSignal;
  /** Takes what is to be done, at once, when the process ends. */
  atExit(callback: () => void): void;
  /** Told when a run of very many trials begins. */
  expectManyTrials(): void;
  /** Asks a person, who may leave without an answer (null); null when nobody is there. */
  ask: ((question: string) => Promise<string | null>) | null;
}

type Given = Omit<CliEnvironment, "stdout" | "stderr" | "files" | "redactor"> & { stdout: Writable; stderr: Writable };

/** The one place where streams and files are put behind the redactor. Takes both streams over. */
export function createEnvironment({ stdout, stderr, ...given }: Given): CliEnvironment {
  const redactor = createRedactor(secretValues(given.env));
  const outputs = { stdout: createOutput(stdout, redactor), stderr: createOutput(stderr, redactor) };
  given.atExit(() => {
    outputs.stdout.flush();
    outputs.stderr.flush();
  });
  return { ...given, ...outputs, files: createFileSinks(redactor), redactor };
}
