import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSystemClock } from "../values/clock.js";
import { explainStartFailure } from "./explain-start-failure.js";
import { createProcessRunner } from "./node-process-runner.js";

const runner = createProcessRunner(createSystemClock());
let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kindlm-start-"));
  await mkdir(join(folder, "bin"));
  await mkdir(join(folder, "bin", "sub"));
  const files = {
    plain: ["text", 0o644],
    orphan: ["#!/no/such/interpreter -x\n", 0o755],
    barred: [`#!${folder}/bin/plain\n`, 0o755],
    dos: ["#!/bin/sh\r\necho hi\r\n", 0o755],
    sound: ["#!/bin/sh\necho hi\n", 0o755],
  } as const;
  for (const [name, [text, mode]] of Object.entries(files)) {
    await writeFile(join(folder, "bin", name), text, { mode });
    await chmod(join(folder, "bin", name), mode);
  }
});
afterAll(() => rm(folder, { recursive: true }));

/** Why the system did not start it, in our words; the folder of the test is `~`. */
async function started(program: string, cwd = folder, searchPath = `${folder}/bin`): Promise<string> {
  const ran = await runner.run({
    command: [program],
    cwd,
    env: { PATH: searchPath },
    stdin: "",
    timeoutMs: 20_000,
    signal: new AbortController().signal,
  });
  return ran.success ? ran.data.stdout : ran.error.message.replaceAll(folder, "~");
}

describe("a program that cannot be started", () => {
  it.each([
    ["none", "program not found"],
    ["./bin/none", "program not found"],
    ["./bin/plain/none", "program not found"],
    ["plain", "no permission to execute ~/bin/plain"],
    ["./bin/plain", "no permission to execute it"],
    ["sub", "program not found"],
    ["./bin/sub", "it is a folder"],
    ["orphan", "its interpreter /no/such/interpreter does not exist"],
    ["./bin/orphan", "its interpreter /no/such/interpreter does not exist"],
    ["./bin/barred", "no permission to execute its interpreter ~/bin/plain"],
    ["./bin/dos", "its interpreter /bin/sh\r does not exist"],
  ])("%s", async (program, reason) => {
    expect(await started(program)).toBe(`Could not start ${program}: ${reason}`);
  });

  it("is looked for where the program that starts it would, in the order of PATH", async () => {
    expect(await started("sound", folder, `${folder}:${folder}/bin`)).toBe("hi\n");
    expect(await started("plain", `${folder}/bin`, "")).toContain("no permission to execute ~/bin/plain");
    expect(await started("plain", `${folder}/bin`, "/nowhere::/bin")).toContain("no permission to execute ~/bin/plain");
  });

  it.each([
    ["nowhere", "the folder ~/nowhere does not exist"],
    ["bin/plain", "~/bin/plain is not a folder"],
  ])("in the folder %s", async (cwd, reason) => {
    expect(await started("sound", join(folder, cwd))).toBe(`Could not start sound: ${reason}`);
  });

  it.each([
    ["EACCES", "permission denied"],
    ["ENOENT", "it needs a file that does not exist"],
    ["EMFILE", "spawn failed"],
  ])("although its file is as it should be: %s", async (code, reason) => {
    const request = { command: ["sound"] as const, cwd: folder, env: { PATH: `${folder}/bin` } };
    const cause = Object.assign(new Error("spawn failed"), { code });
    expect(await explainStartFailure(request, cause)).toEqual({
      message: `Could not start sound: ${reason}`,
      cause,
    });
  });
});
