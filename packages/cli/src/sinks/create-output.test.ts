import { createWriteStream } from "node:fs";
import { PassThrough, Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { createRedactor } from "@kindlm/core";
import { Screen } from "../terminal/screen.js";
import { createOutput } from "./create-output.js";

const secret = "Qz7-secret-value";
const redactor = createRedactor([secret]);
const screen = new Screen(() => 80);

function failing(code: string): Writable {
  return new Writable({
    write: (_chunk, _encoding, done) => done(Object.assign(new Error(`write ${code}`), { code })),
  });
}

describe("createOutput", () => {
  it("waits for a reader that is slow", async () => {
    const stream = new PassThrough({ highWaterMark: 4 });
    const output = createOutput(stream, redactor, screen);
    let isTaken = false;
    const first = output.write("1234567\n");
    const second = output.write("more\n").finally(() => {
      isTaken = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isTaken).toBe(false);
    stream.resume();
    await Promise.all([first, second]);
    expect(isTaken).toBe(true);
  });

  it("takes a reader that went away for no failure, and drops what follows", async () => {
    const output = createOutput(failing("EPIPE"), redactor, screen);
    expect(await output.write("a\n")).toBeNull();
    await new Promise((resolve) => setImmediate(resolve));
    expect(await output.write("b")).toBeNull();
  });

  it("says why it cannot write", async () => {
    expect(await createOutput(failing("ENOSPC"), redactor, screen).write("a")).toBe("write ENOSPC");
    expect(await createOutput(createWriteStream("/no/such/folder/file"), redactor, screen).write("a")).toContain(
      "ENOENT",
    );
  });

  it("lets nobody past the redactor: no module that writes to the stream itself, in pieces or in bytes", async () => {
    const { stream, text } = keeping();
    const output = createOutput(stream, redactor, screen);
    const written: unknown[] = [];
    stream.write(`a module: ${secret.slice(0, 9)}`);
    stream.write(Buffer.from(`${secret.slice(9)}\nünd `), () => written.push("bytes"));
    stream.write(Buffer.from("ü").subarray(0, 1));
    stream.write(Buffer.from("ü\n").subarray(1));
    await output.write(`the run: ${secret}\n`);
    expect(text()).toBe("a module: [redacted]\nünd ü\nthe run: [redacted]\n");
    expect(written).toEqual(["bytes"]);
  });

  it("keeps JSON whole between what a module printed", async () => {
    const { stream, text } = keeping();
    const output = createOutput(stream, createRedactor(['a":"b-secret']), screen);
    stream.write("noise ");
    await output.write(`${JSON.stringify({ a: "b-secret", x: 'a":"b-secret' })}\n`, "json");
    expect(text()).toBe('noise {"a":"b-secret","x":"[redacted]"}\n');
  });

  it("lets go of a line without an end at the end", async () => {
    const { stream, text } = keeping();
    const output = createOutput(stream, redactor, screen);
    await output.write(`no end ${secret}`);
    expect(text()).toBe("");
    output.flush();
    expect(text()).toBe("no end [redacted]");
  });
});

function keeping(): { stream: Writable; text(): string } {
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
