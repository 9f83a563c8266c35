import { expect, it } from "vitest";
import { startTestServer } from "../__fixtures__/test-server.js";
import { RateLimits, type LimitKind } from "./rate-limits.js";
import { routes } from "./routes/registry.js";

/** Section 5 of the specification of the server. */
const inAMinute = { read: 600, write: 240, login: 10, anonymous: 30 } as const satisfies Record<LimitKind, number>;

it.each(Object.entries(inAMinute))("%s: a caller has %d requests in a minute, whatever others do", (name, most) => {
  const kind = name as LimitKind;
  let now = 0;
  const limits = new RateLimits(() => now);
  const refused = (caller: string, one = kind): boolean => {
    try {
      limits.take(one, caller);
      return false;
    } catch (error) {
      expect(error).toMatchObject({ status: 429, code: "CLOUD_RATE_LIMIT" });
      return true;
    }
  };
  now = 1_000;
  for (let count = 0; count < most; count += 1) expect(refused("a")).toBe(false);
  expect([refused("a"), refused("b")]).toEqual([true, false]);
  for (const other of Object.keys(inAMinute) as LimitKind[])
    if (other !== kind) expect(refused("a", other)).toBe(false);
  now += 59_999;
  expect(refused("a")).toBe(true);
  now += 1;
  expect(refused("a")).toBe(false);
  expect(limits.size).toBe(1);
});

it("a route counts as what it does: reads, writes, and what needs no token", () => {
  for (const { method, path, scope, limit } of routes) {
    const expected = scope === null ? ["login", "anonymous"] : [method === "get" ? "read" : "write"];
    expect(expected, `${method} ${path}`).toContain(limit);
  }
});

it("an address has 30 requests without a valid token, which leave those with one alone", async () => {
  const server = await startTestServer();
  const guess = () => server.send("/me", { token: `klm_${"a".repeat(43)}` });
  const statuses: number[] = [];
  for (let count = 0; count < 31; count += 1) statuses.push((await guess()).status);
  expect(statuses).toEqual([...Array.from({ length: 30 }, () => 401), 429]);
  expect((await server.send("/me")).status).toBe(200);
});
