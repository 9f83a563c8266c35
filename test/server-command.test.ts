import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeProject, type ProjectFiles } from "../packages/core/src/__fixtures__/make-project.js";
import { repository } from "./support/run-cli.js";
import { runProcess, startCli } from "./support/start-cli.js";

/** A project in which this program stands for the server. */
const installing = (program: string): ProjectFiles => ({
  "node_modules/@kindlm/server/package.json": "{}",
  "node_modules/@kindlm/server/dist/bin.js": program,
});

it("hands all words to the server that the project has installed, ends as it ends, and names npx otherwise", async () => {
  const cwd = makeProject({ "agents/readme.md": "" });
  const echoing = makeProject(installing("console.error(process.argv.slice(2).join()); process.exitCode = 4;"));
  mkdirSync(join(cwd, "node_modules", "@kindlm"), { recursive: true });
  symlinkSync(join(repository, "packages", "server"), join(cwd, "node_modules", "@kindlm", "server"), "junction");
  const below = join(cwd, "agents");
  const [echoed, help, elsewhere] = await Promise.all([
    runProcess(["server", "--port", "1", "--verbose"], { cwd: echoing }),
    runProcess(["server", "--", "--help"], { cwd: below }),
    // Not in the process of the test, whose environment may name folders of modules.
    runProcess(["server", "--port", "1"], { cwd: makeProject({}) }),
  ]);
  const message = "✗ @kindlm/server is not installed\n  Start it with: npx @kindlm/server\n";
  expect(elsewhere).toMatchObject({ code: 1, stdout: "", stderr: message });
  expect(echoed).toMatchObject({ code: 4, stdout: "", stderr: "--port,1,--verbose\n" });
  expect(help).toMatchObject({ code: 0, stderr: "" });
  expect(help.stdout).toMatch(/^Usage: kindlm-server/);
});

it("hands a request to stop to the server, and ends as that ends", async () => {
  const stub = `process.once("SIGTERM", () => process.exit(3));
console.error("serves");
setInterval(() => {}, 1_000);
`;
  const cwd = makeProject(installing(stub));
  const command = startCli(["server"], { cwd });
  await command.sees("serves");
  command.child.kill("SIGTERM");
  expect(await command.finished).toMatchObject({ code: 3, stderr: "serves\n" });
});
