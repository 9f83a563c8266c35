import type { CliEnvironment, OutputStream } from "../environment.js";

export interface FakeStream extends OutputStream {
  text(): string;
}

export function fakeStream({ isTerminal = false, columns = undefined as number | undefined } = {}): FakeStream {
  const written: string[] = [];
  return {
    isTerminal,
    columns: () => columns,
    write: (text) => {
      written.push(text);
      return Promise.resolve(null);
    },
    text: () => written.join(""),
  };
}

export interface FakeEnvironment extends CliEnvironment {
  stdout: FakeStream;
  stderr: FakeStream;
}

export function fakeEnvironment(changes: Partial<CliEnvironment> = {}): FakeEnvironment {
  return {
    env: {},
    cwd: "/",
    nodeVersion: "v22.18.0",
    interrupt: new AbortController().signal,
    atExit: () => {},
    ask: null,
    ...changes,
    stdout: fakeStream(),
    stderr: fakeStream(),
  };
}
