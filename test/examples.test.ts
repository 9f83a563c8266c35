import { spawn, type ChildProcess } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, it } from "vitest";
import { exampleNames, examples } from "../packages/cli/src/commands/init/examples.js";
import { afterFile } from "../packages/core/src/__fixtures__/clean-up.js";
import { lightFetch } from "../packages/core/src/__fixtures__/light-fetch.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { sharedModules } from "../packages/core/src/__fixtures__/shared-modules.js";
import { followPage } from "./support/docs/follow-page.js";
import { fakeCodex } from "./support/fake-codex.js";
import { repository, runCli } from "./support/run-cli.js";

const source = join(repository, "examples");

/** Examples that another test runs, since they need another program. */
const elsewhere: Readonly<Record<string, string>> = { vitest: "test/vitest-package.test.ts" };

/** Nothing outside of this machine may be asked. */
const closed = "http://127.0.0.1:9";
const offline = { HTTP_PROXY: closed, HTTPS_PROXY: closed, http_proxy: closed, https_proxy: closed };

/** What the programs of an example need to start fast. */
const ownEnv: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "existing-agent": { NODE_OPTIONS: `--import ${lightFetch}` },
};

/** Copies an example as a user would, with what `npm install` would install. */
async function copy(name: string): Promise<string> {
  const cwd = makeProject({ "bin/codex": fakeCodex });
  chmodSync(join(cwd, "bin", "codex"), 0o755);
  const { code, stderr } = await runCli(["init", "--example", name, "--dir", "project"], { cwd });
  expect([code, stderr]).toEqual([0, ""]);
  const project = join(cwd, "project");
  mkdirSync(join(project, "node_modules", "@kindlm"), { recursive: true });
  for (const [module, place] of [
    ["jiti", "packages/core/node_modules/jiti"],
    ["@kindlm/core", "packages/core"],
  ] as const) {
    symlinkSync(join(repository, place), join(project, "node_modules", module), "dir");
  }
  return project;
}

it("knows every example by its name, and each has its page and its manifest", () => {
  const folders = readdirSync(source, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map(({ name }) => name).toSorted()).toEqual(exampleNames.toSorted());
  const { version } = JSON.parse(readFileSync(join(repository, "packages/cli/package.json"), "utf8")) as {
    version: string;
  };
  const page = readFileSync(join(source, "README.md"), "utf8");
  const rows = examples.map(({ name, shows }) => `| [${name}](${name}/README.md) | ${shows} |`);
  expect(page.split("\n").filter((line) => line.startsWith("| ["))).toEqual(rows);
  for (const name of exampleNames) {
    expect(existsSync(join(source, name, "README.md")), name).toBe(true);
    const manifest = readFileSync(join(source, name, "package.json"), "utf8");
    expect(manifest, name).toContain(`"name": "kindlm-example-${name}"`);
    expect([...manifest.matchAll(/"@kindlm\/\w+": "(.*)"/g)].map(([, range]) => range)).toContain(`^${version}`);
  }
});

it.each(exampleNames.filter((name) => !Object.hasOwn(elsewhere, name)))(
  "examples/%s runs offline, as its README shows",
  async (name) => {
    const cwd = await copy(name);
    const readme = readFileSync(join(cwd, "README.md"), "utf8");
    expect(readme).not.toContain("](../../");
    const PATH = `${join(cwd, "..", "bin")}:${process.env["PATH"] ?? ""}`;
    const env = { PATH, TMPDIR: makeProject({}), ...offline, ...ownEnv[name] };
    await followPage(`examples/${name}/README.md`, { cwd, env });
  },
);

/** A port that was free a moment ago. */
const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

it("records the agent of examples/existing-agent again from its two servers", async () => {
  const cwd = await copy("existing-agent");
  const [modelPort, port] = [await freePort(), await freePort()];
  const servers: ChildProcess[] = [];
  afterFile(() => void servers.map((server) => server.kill()));
  const NODE_OPTIONS = `--import ${lightFetch}`;
  const start = async (file: string, env: Readonly<Record<string, string>>): Promise<void> => {
    const options = { cwd, env: { PATH: process.env["PATH"], NODE_OPTIONS, ...env } };
    const server = spawn(process.execPath, [file], options);
    servers.push(server);
    // It says when it is ready.
    await once(server.stdout, "data");
  };
  await start("model.mjs", { MODEL_PORT: String(modelPort) });
  await start("server.mjs", { PORT: String(port), OPENAI_BASE_URL: `http://127.0.0.1:${modelPort}/v1` });
  const config = join(cwd, "kindlm.yaml");
  const written = readFileSync(config, "utf8");
  writeFileSync(config, written.replace("43118", String(modelPort)).replace("43117", String(port)));
  const recordings = join(cwd, ".kindlm", "cassettes");
  rmSync(recordings, { recursive: true });
  const recorded = await runCli(["test", "--cassette", "record"], {
    cwd,
    env: { OPENAI_API_KEY: "", NODE_OPTIONS },
    openModules: sharedModules,
  });
  expect(recorded.stdout).toContain("Summary: 3 passed, 0 failed");
  for (const server of servers) server.kill();
  expect((await runCli(["test"], { cwd, env: { NODE_OPTIONS }, openModules: sharedModules })).stdout).toContain(
    "Summary: 3 passed, 0 failed",
  );
});
