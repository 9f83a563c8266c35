import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeEnvironment, type FakeEnvironment } from "../../__fixtures__/fake-environment.js";
import type { CliEnvironment } from "../../environment.js";
import { main } from "../../main.js";

async function call(
  argv: readonly string[],
  changes: Partial<CliEnvironment> = {},
): Promise<{ code: number; out: string; err: string }> {
  const environment: FakeEnvironment = fakeEnvironment(changes);
  const code = await main(argv, environment);
  return { code, out: environment.stdout.text(), err: environment.stderr.text() };
}

describe("init", () => {
  let cwd = "";
  beforeEach(async () => {
    cwd = await mkdtemp(join(tmpdir(), "kindlm-init-"));
  });
  afterEach(() => rm(cwd, { recursive: true }));

  it("writes a config that is valid and passes offline at once", async () => {
    const { code, out } = await call(["init", "--yes", "--dir", "evals"], { cwd });
    expect(code).toBe(0);
    expect(out).toContain("wrote evals/kindlm.yaml\n");
    expect(out).toContain("kindlm test evals/kindlm.yaml");
    const validated = await call(["validate", "evals/kindlm.yaml"], { cwd });
    expect(validated.err).toBe("");
    expect(validated.out).toContain("order-agent: 2 tests, 2 cases, 2 trials\n");
    const tested = await call(["test", "evals/kindlm.yaml"], { cwd });
    expect(tested.out).toContain("Summary: 2 passed, 0 failed, 0 errored, 0 skipped\nExit code: 0\n");
    expect(tested.code).toBe(0);
  });

  it("never overwrites anything", async () => {
    await writeFile(join(cwd, "kindlm.yaml"), "mine");
    const { code, err } = await call(["init", "--yes"], { cwd });
    expect(code).toBe(1);
    expect(err).toContain("✗ Nothing was written, because these files exist: kindlm.yaml\n");
    expect(await readFile(join(cwd, "kindlm.yaml"), "utf8")).toBe("mine");
  });

  it("asks a person for the folder", async () => {
    const asked: string[] = [];
    const ask = (question: string): Promise<string | null> => {
      asked.push(question);
      return Promise.resolve("here");
    };
    expect((await call(["init"], { cwd, ask })).out).toContain("wrote here/kindlm.yaml\n");
    expect(asked).toHaveLength(1);
    expect(await call(["init"], { cwd, ask: () => Promise.resolve(null) })).toEqual({ code: 1, out: "", err: "" });
  });
});
