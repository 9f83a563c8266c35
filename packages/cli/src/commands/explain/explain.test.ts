import { describe, expect, it } from "vitest";
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

describe("explain", () => {
  it.each(["202", "PROVIDER_RATE_LIMIT", "provider_rate_limit", "provider-rate-limit"])("knows %s", async (code) => {
    const { out } = await call(["explain", code]);
    expect(out).toContain("PROVIDER_RATE_LIMIT (202)\n");
    expect(out).toContain("  ✗ OpenAI rate limit hit. Retry after 30 seconds.\n");
    expect(out).toContain("Retried: yes");
    expect(out).toContain("Counts: neither way");
  });

  it("lists all codes, also as JSON", async () => {
    expect((await call(["explain"])).out).toMatch(/^100 {2}CONFIG_NOT_FOUND/);
    const listed: unknown = JSON.parse((await call(["explain", "--json"])).out);
    expect(listed).toContainEqual(expect.objectContaining({ code: "UNKNOWN_ERROR", number: 999 }));
    expect(JSON.parse((await call(["explain", "400", "--json"])).out)).toMatchObject({ fault: "agent" });
  });
});
