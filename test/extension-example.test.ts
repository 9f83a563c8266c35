import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { sharedModules } from "../packages/core/src/__fixtures__/shared-modules.js";
import { startServer } from "../packages/core/src/__fixtures__/start-server.js";
import * as example from "./fixtures/extensions/kindlm-extensions.js";
import { fileOn } from "./support/docs/pages.js";
import { repository, runCli } from "./support/run-cli.js";

const page = readFileSync(join(repository, "docs/extensions.md"), "utf8");
const [script = "", types = ""] = [...page.matchAll(/```ts\n\/\/ .*\n([^]*?)```/g)].map(([, text = ""]) => text);
const yaml = fileOn("docs/extensions.md", "kindlm.yaml");
const built = "../../../packages/core/dist/index.js";

it("has an example of all four members that compiles and runs", async () => {
  expect(Object.keys(example)).toHaveLength(4);
  const fixture = readFileSync(join(repository, "test/fixtures/extensions/kindlm-extensions.ts"), "utf8");
  expect(`${script}\n${types}`).toBe(fixture.replaceAll(built, "@kindlm/core"));
  const server = await startServer((request, response) => {
    const isAllowed = request.headers.authorization === "Bearer acme-secret-1";
    response.writeHead(isAllowed ? 200 : 401);
    response.end(JSON.stringify({ reply: "Hello, please come in", read: 3, written: 5 }));
  });
  const cwd = makeProject({
    // The one type in it is taken away, because TypeScript takes half a second in each worker.
    "kindlm-extensions.mjs": script.replace(/ as \{.*\};/, ";"),
    "kindlm.yaml": yaml.replace("http://127.0.0.1:8080", server.url).replace("extensions.ts", "extensions.mjs"),
  });
  mkdirSync(join(cwd, "node_modules/@kindlm"), { recursive: true });
  symlinkSync(join(repository, "packages/core"), join(cwd, "node_modules/@kindlm/core"));
  const env = { ACME_KEY: "acme-secret-1" };
  const { code, stdout, stderr } = await runCli(["test", "--reporter", "totals"], {
    cwd,
    env,
    openModules: sharedModules,
  });
  expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: "politeness: 2\n" });
});
