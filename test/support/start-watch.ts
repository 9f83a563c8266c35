import { EventEmitter, once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** Tells of programs what they have said and when they are gone, without a look every few milliseconds. */
export interface ProgramWatch {
  /**
   * Goes before the source of a program of Node.js, which joins the watch by it. From then on it has `say(line)`, and
   * `stay()` to go on until it is ended; with the test it ends by itself.
   */
  readonly preamble: string;
  /** Resolves when a program has said this line. */
  hears(line: string): Promise<void>;
  /** Resolves when at least one program has joined, and none of them is left. */
  allGone(): Promise<void>;
}

/**
 * Starts a watch that ends with the test; a test that runs concurrently hands in its own `onTestFinished`. A program
 * joins with a connection that it never closes: the system does that when the program ends, in whatever way and
 * whoever its parent is by then.
 */
export async function startWatch(whenFinished: (end: () => void) => void = onTestFinished): Promise<ProgramWatch> {
  const changes = new EventEmitter();
  const present = new Set<Socket>();
  let joined = 0;
  let said = "";
  const server = createServer((socket) => {
    joined += 1;
    present.add(socket);
    // A program that is killed may reset its connection, which is an end like any other.
    socket.on("error", () => undefined);
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      said += chunk;
      changes.emit("change");
    });
    socket.on("close", () => {
      present.delete(socket);
      changes.emit("change");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  whenFinished(() => {
    server.close();
    for (const socket of present) socket.destroy();
  });

  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await once(changes, "change");
  };
  const { port } = server.address() as AddressInfo;
  return {
    preamble: `
const { say, stay } = (() => {
  const socket = require("node:net").connect(${port}, "127.0.0.1").on("error", () => {}).unref();
  return { say: (line) => void socket.write(line + "\\n"), stay: () => void socket.ref() };
})();
`,
    hears: (line) => until(() => said.split("\n").includes(line)),
    allGone: () => until(() => joined > 0 && present.size === 0),
  };
}
