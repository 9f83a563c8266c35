import { Writable } from "node:stream";
import { createEnvironment, type CliEnvironment } from "../environment.js";
import type { OutputStream } from "../sinks/output-stream.js";

export interface FakeStream extends OutputStream {
  text(): string;
}

export function fakeStream({
  isTerminal = false,
  isPipe = false,
  columns = undefined as number | undefined,
} = {}): FakeStream {
  const written: string[] = [];
  return {
    isTerminal,
    isPipe,
    columns: () => columns,
    rows: () => undefined,
    write: (text) => {
      written.push(text);
      return Promise.resolve(null);
    },
    draw: (above) => {
      written.push(above);
      return Promise.resolve();
    },
    onResize: () => () => {},
    text: () => written.join(""),
  };
}

export interface FakeEnvironment extends CliEnvironment {
  stdout: FakeStream;
  stderr: FakeStream;
}

/** The command line's own environment around streams that keep what they are given. */
export function fakeEnvironment(changes: Partial<CliEnvironment> = {}): FakeEnvironment {
  const [out, err] = [keepingStream(), keepingStream()];
  const given = {
    env: {},
    cwd: "/",
    nodeVersion: "v22.18.0",
    interrupt: new AbortController().signal,
    atExit: () => {},
    expectLargeConfig: () => {},
    expectStoredTrials: () => {},
    compileWasm: <T>(compile: () => T): T => compile(),
    expectTrials: () => {},
    ask: null,
    stdin: (async function* () {})(),
    ...changes,
  };
  const environment = createEnvironment({ ...given, stdout: out.stream, stderr: err.stream });
  return {
    ...environment,
    stdout: { ...environment.stdout, text: out.text },
    stderr: { ...environment.stderr, text: err.text },
  };
}

function keepingStream(): { stream: Writable; text(): string } {
  const written: string[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write: (chunk, _encoding, done) => {
      written.push(String(chunk));
      done();
    },
  });
  return { stream, text: () => written.join("") };
}
