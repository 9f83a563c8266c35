import { Terminal } from "@xterm/headless";
import { Writable } from "node:stream";
import type { ProcessOutput } from "../sinks/create-output.js";

/** A terminal without a window, and the streams of a process that writes to it. */
export interface HeadlessTerminal {
  stdout: ProcessOutput;
  stderr: ProcessOutput;
  /** What was written, in the pieces in which it came. */
  readonly writes: readonly string[];
  resize(columns: number, rows: number): Promise<void>;
  /** Everything that can be seen and scrolled to; a line that is wrapped is one. */
  lines(): Promise<readonly string[]>;
  /** The line that the cursor is on, and whether it can be seen. */
  cursor(): Promise<{ line: string; isVisible: boolean }>;
}

/** `isCutting`: it cuts lines when it is made narrower, instead of wrapping them. */
export function openTerminal(columns: number, rows: number, isCutting = false): HeadlessTerminal {
  const size = { cols: columns, rows, scrollback: 2_000 };
  const windowsPty = isCutting ? { windowsPty: { backend: "conpty" as const, buildNumber: 19_000 } } : {};
  const terminal = new Terminal({ ...size, ...windowsPty, allowProposedApi: true, convertEol: true });
  const writes: string[] = [];
  /** After a key a terminal shows what it gets at once, lest its echo be late, and otherwise in a later turn. */
  const show = (text: string, shown?: () => void): void => {
    terminal.input("");
    terminal.write(text, shown);
  };
  const settled = (): Promise<void> => new Promise((resolve) => show("", resolve));
  const open = (): ProcessOutput => {
    const stream = new Writable({
      decodeStrings: false,
      write: (chunk, _encoding, done) => {
        writes.push(String(chunk));
        show(String(chunk));
        done();
      },
    });
    return Object.assign(stream, { isTTY: true, columns, rows });
  };
  const streams = { stdout: open(), stderr: open() };
  const lineAt = (index: number): string => terminal.buffer.active.getLine(index)?.translateToString(true) ?? "";
  return {
    ...streams,
    writes,
    async resize(wide, high) {
      await settled();
      terminal.resize(wide, high);
      for (const stream of Object.values(streams)) {
        Object.assign(stream, { columns: wide, rows: high });
        stream.emit("resize");
      }
    },
    async lines() {
      await settled();
      const found: string[] = [];
      for (let index = 0; index < terminal.buffer.active.length; index += 1) {
        const isWrapped = terminal.buffer.active.getLine(index)?.isWrapped === true;
        if (isWrapped) found.push(`${found.pop() ?? ""}${lineAt(index)}`);
        else found.push(lineAt(index));
      }
      while (found.at(-1) === "") found.pop();
      return found;
    },
    async cursor() {
      await settled();
      const { baseY, cursorY } = terminal.buffer.active;
      const text = writes.join("");
      return {
        line: lineAt(baseY + cursorY),
        isVisible: text.lastIndexOf("\u001b[?25l") <= text.lastIndexOf("\u001b[?25h"),
      };
    },
  };
}
