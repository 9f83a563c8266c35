import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { startServer } from "../packages/core/src/__fixtures__/start-server.js";
import * as example from "./fixtures/extensions/kindlm-extensions.js";
import { repository, runCli } from "./support/run-cli.js";

const page = readFileSync(join(repository, "docs/extensions.md"), "utf8");
const [, script = ""] = /```ts\n\/\/ .*\n([^]*?)```/.exec(page) ?? [];
const [, yaml = ""] = /```yaml\n([^]*?)```/.exec(page) ?? [];
const built = "../../../packages/core/dist/index.js";

it("has an example of all four members that compiles and runs", async () => {
  expect(Object.keys(example)).toHaveLength(4);
  const fixture = readFileSync(join(repository, "test/fixtures/extensions/kindlm-extensions.ts"), "utf8");
  expect(script).toBe(fixture.replace(built, "@kindlm/core"));
  const server = await startServer((request, response) => {
    const isAllowed = request.headers.authorization === "Bearer acme-secret-1";
    response.writeHead(isAllowed ? 200 : 401);
    response.end(JSON.stringify({ reply: "Hello, please come in", read: 3, written: 5 }));
  });
  const coreUrl = createRequire(import.meta.url).resolve("../packages/core/dist/index.js");
  const cwd = makeProject({
    "kindlm-extensions.ts": script.replace("@kindlm/core", coreUrl),
    "kindlm.yaml": yaml.replace("http://127.0.0.1:8080", server.url),
  });
  const env = { ACME_KEY: "acme-secret-1" };
  const { code, stdout, stderr } = await runCli(["test", "--reporter", "totals"], { cwd, env });
  expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: "politeness: 2\n" });
});
