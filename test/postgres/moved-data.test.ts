import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { makeProject } from "../../packages/core/src/__fixtures__/make-project.js";
import { sampleUpload } from "../../packages/server/src/__fixtures__/sample-upload.js";
import { newDatabase } from "../support/new-database.js";
import { sendTo, serverProgram, setUpServer, startServerProcess } from "../support/started-server.js";

const run = promisify(execFile);
const pathOf = (name: string): string => `/api/v1/projects/shop/runs/${name}`;

it("moves the data of an embedded database there and back, byte by byte the same", { timeout: 120_000 }, async () => {
  const cwd = makeProject({});
  const server = await startServerProcess({ cwd });
  const send = sendTo(server.origin, await setUpServer(server));
  for (const name of ["one", "two"]) {
    const cases = [{ name: `é 😀 \u2028 "quoted" \\ ${name}` }, { name: "b", status: "failed" as const }];
    expect(await send("PUT", pathOf(name), sampleUpload({ run: name, cases }))).toMatchObject({ status: 201 });
  }
  server.child.kill("SIGTERM");
  await server.ended;
  const url = await newDatabase();
  const move = (line: string): Promise<unknown> =>
    run("bash", ["-c", `"${process.execPath}" --liftoff-only "${serverProgram}" ${line}`], { cwd });
  await move("export > first");
  await move(`import --database '${url}' < first`);
  await move(`export --database '${url}' > second`);
  await move("import --data other < second");
  await move("export --data other > third");
  const [first, second, third] = ["first", "second", "third"].map((name) => readFileSync(join(cwd, name), "utf8"));
  expect(first).toContain('"run":"two"');
  expect(second).toBe(first);
  expect(third).toBe(first);
  writeFileSync(join(cwd, "torn"), first?.slice(0, -200) ?? "");
  await expect(move("import --data new < torn")).rejects.toThrow("✗ The import failed: The export is damaged");
});
