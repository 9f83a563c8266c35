import { createWriteStream } from "node:fs";
import { PassThrough, Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { createOutput } from "./environment.js";

function failing(code: string): Writable {
  return new Writable({
    write: (_chunk, _encoding, done) => done(Object.assign(new Error(`write ${code}`), { code })),
  });
}

describe("createOutput", () => {
  it("waits for a reader that is slow", async () => {
    const stream = new PassThrough({ highWaterMark: 4 });
    const output = createOutput(stream);
    let isTaken = false;
    const first = output.write("12345678");
    const second = output.write("more").finally(() => {
      isTaken = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isTaken).toBe(false);
    stream.resume();
    await Promise.all([first, second]);
    expect(isTaken).toBe(true);
  });

  it("takes a reader that went away for no failure, and drops what follows", async () => {
    const output = createOutput(failing("EPIPE"));
    expect(await output.write("a")).toBeNull();
    await new Promise((resolve) => setImmediate(resolve));
    expect(await output.write("b")).toBeNull();
  });

  it("says why it can not write", async () => {
    expect(await createOutput(failing("ENOSPC")).write("a")).toBe("write ENOSPC");
    expect(await createOutput(createWriteStream("/no/such/folder/file")).write("a")).toContain("ENOENT");
  });
});
