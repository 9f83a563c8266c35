import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createManualClock, type ManualClock } from "../__fixtures__/manual-clock.js";
import { createRedactor } from "../redaction/redactor.js";
import type { Result } from "../result.js";
import { openGroupAppender, type GroupAppender, type LinePlace } from "./group-appender.js";

const redactor = createRedactor(["the-secret"]);
let folder = "";
let file = "";
let clock: ManualClock;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "kindlm-appender-"));
  file = path.join(folder, "lines");
  clock = createManualClock();
});
afterEach(() => rmSync(folder, { recursive: true }));

async function open(keptBytes = 0): Promise<GroupAppender> {
  const opened = await openGroupAppender(file, "lines", keptBytes, { clock, redactor });
  if (!opened.success) throw new Error(opened.error.message);
  return opened.data;
}

function textAt(outcome: Result<LinePlace>): string {
  if (!outcome.success) return outcome.error.message;
  const { offset, length } = outcome.data;
  return readFileSync(file).toString("utf8", offset, offset + length);
}

describe("openGroupAppender", () => {
  it("writes every line once, in the order in which they came, and reports where each stands", async () => {
    const step = fc.oneof(
      fc.record({ text: fc.string({ unit: "grapheme" }), urgency: fc.constantFrom("soon" as const, "now" as const) }),
      fc.constantFrom("wait" as const, "flush" as const),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        rmSync(file, { force: true });
        const appender = await open();
        const written: { line: string; outcome: Promise<Result<LinePlace>> }[] = [];
        for (const one of steps) {
          if (one === "wait") clock.advance(1_000);
          else if (one === "flush") await appender.flush();
          else {
            const line = JSON.stringify(one.text);
            written.push({ line, outcome: appender.append(line, one.urgency) });
          }
        }
        await appender.close();
        expect(readFileSync(file, "utf8")).toBe(written.map(({ line }) => `${line}\n`).join(""));
        for (const { line, outcome } of written) expect(textAt(await outcome)).toBe(line);
      }),
      { numRuns: 50 },
    );
  });

  it("goes on behind the bytes that are to stay, and cuts off what stands there", async () => {
    writeFileSync(file, "kept\nhalf a li");
    const appender = await open(5);
    expect(readFileSync(file, "utf8")).toBe("kept\n");
    expect(await appender.append("é", "now")).toEqual({ success: true, data: { offset: 5, length: 2 } });
    expect(readFileSync(file, "utf8")).toBe("kept\né\n");
    await appender.close();
  });

  it("lets lines wait for others for a moment, unless one is urgent", async () => {
    const appender = await open();
    const settled: string[] = [];
    const append = (line: string, urgency: "soon" | "now"): Promise<unknown> =>
      appender.append(line, urgency).then(() => settled.push(line));
    const first = append("first", "soon");
    await new Promise((resolve) => setImmediate(resolve));
    expect({ settled, text: readFileSync(file, "utf8") }).toEqual({ settled: [], text: "" });
    const second = append("second", "now");
    await Promise.all([first, second]);
    expect(settled).toEqual(["first", "second"]);
    const third = append("third", "soon");
    clock.advance(1_000);
    await third;
    expect(readFileSync(file, "utf8")).toBe("first\nsecond\nthird\n");
    await appender.close();
  });

  it("fails every line once the file cannot be written, and says which file it is", async () => {
    const appender = await open();
    await appender.append("kept", "now");
    await appender.close();
    const outcomes = await Promise.all([
      appender.append("lost", "now"),
      appender.append("lost too", "soon"),
      appender.flush().then(() => appender.append("later", "now")),
    ]);
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({
        success: false,
        error: { code: "STORE_WRITE_ERROR", details: { path: "lines", systemCode: "EBADF" } },
      });
    }
    expect(readFileSync(file, "utf8")).toBe("kept\n");
  });

  it("masks secrets, and says where the lines stand then", async () => {
    const appender = await open();
    const said = ["first", "the-secret is out", "third"].map((text) => JSON.stringify({ text }));
    const written = said.map((line) => appender.append(line, "soon"));
    await appender.flush();
    const lines = ["first", "[redacted] is out", "third"].map((text) => JSON.stringify({ text }));
    expect((await Promise.all(written)).map(textAt)).toEqual(lines);
    expect(readFileSync(file, "utf8")).toBe(lines.map((line) => `${line}\n`).join(""));
    await appender.close();
  });

  it("says why a file cannot be opened", async () => {
    writeFileSync(path.join(folder, "no-folder"), "");
    expect(
      await openGroupAppender(path.join(folder, "no-folder", "lines"), "lines", 0, { clock, redactor }),
    ).toMatchObject({
      success: false,
      error: { code: "STORE_WRITE_ERROR", details: { path: "lines", systemCode: "ENOTDIR" } },
    });
  });

  it("leaves whole lines alone where the disk takes a part of a write, and no more", async () => {
    // A limit on the size of files stands for the full disk: the write is taken in part, and the next one fails.
    const script = `
        import { openGroupAppender } from ${JSON.stringify(path.join(import.meta.dirname, "../../build/journal/group-appender.js"))};
        const clock = { now: () => 0, monotonic: () => 0, after: () => () => {}, sleep: async () => {} };
        const redactor = { redactJson: (text) => text };
        const { data: appender } = await openGroupAppender(process.argv[1], "lines", 0, { clock, redactor });
        const line = "x".repeat(299);
        const outcomes = await Promise.all([1, 2].map(() => appender.append(line, "now")));
        outcomes.push(await appender.append(line + line, "now"), await appender.append("later", "now"));
        await appender.close();
        console.log(JSON.stringify(outcomes.map(({ success, error }) => success || error.details.systemCode)));`;
    const args = [
      "-c",
      'trap "" XFSZ && ulimit -f 1 && exec "$0" --input-type=module -e "$1" "$2"',
      process.execPath,
      script,
      file,
    ];
    const { stdout } = await promisify(execFile)("bash", args);
    expect(JSON.parse(stdout)).toEqual([true, true, "EFBIG", "EFBIG"]);
    expect(readFileSync(file, "utf8")).toBe(`${"x".repeat(299)}\n`.repeat(2));
  });
});
