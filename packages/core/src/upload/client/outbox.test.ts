import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeProject } from "../../__fixtures__/make-project.js";
import { createRedactor } from "../../redaction/redactor.js";
import { Outbox } from "./outbox.js";

const entry = { include: ["messages"] as const, ciAttempt: "github:1.1", branch: null };
const idOf = (second: number): string => `20260215-1030${String(second).padStart(2, "0")}000-a1b2c3`;

it("keeps IDs and no copies, the newest 100, out of Git", async () => {
  const root = makeProject({});
  const folder = join(root, ".kindlm/outbox");
  const outbox = new Outbox(root, createRedactor([]));
  expect([...(await outbox.list())]).toEqual([]);
  const ids = Array.from({ length: 50 }, (_, index) => [idOf(index), `${idOf(index).slice(0, -1)}4`]).flat();
  for (const id of ids) await outbox.add(id, entry);
  await outbox.add("20260215-110000000-a1b2c3", { ...entry, ciAttempt: null });
  const listed = await outbox.list();
  expect([...listed.keys()]).toEqual([...ids.slice(1), "20260215-110000000-a1b2c3"]);
  expect(listed.get(ids[1] ?? "")).toEqual(entry);
  expect(readFileSync(join(folder, ".gitignore"), "utf8")).toBe("*\n");
  expect(readFileSync(join(folder, `${ids[1]}.json`), "utf8").length).toBeLessThan(100);
  // What somebody else put there is no run. Of a damaged entry the ID is left, which is good for measurements.
  writeFileSync(join(folder, `${ids[2]}.json`), '{"include":["everything"]}');
  writeFileSync(join(folder, `${ids[3]}.json`), "");
  writeFileSync(join(folder, "..%2f..%2fsecret.json"), "{}");
  const damaged = await outbox.list();
  expect(damaged.size).toBe(100);
  for (const id of ids.slice(2, 4)) expect(damaged.get(id)).toEqual({ include: [], ciAttempt: null, branch: null });
});
