import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { rolldown } from "rolldown";
import { expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { repository } from "./support/run-cli.js";
import { cliPath, runProcess } from "./support/start-cli.js";

const packages = join(repository, "packages");
const core = join(packages, "core", "build");
const cli = join(packages, "cli", "build");
const useCases = ["upload-runs", "server-accounts", "remote-runs"];
const serverCommands = ["login", "logout", "whoami", "upload", "server"];
const mostBytes = 60_000;

const modulesIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => /^[a-z-]+\.js$/.test(name))
    .map((name) => join(folder, name));

/** All that the command line has for a results server; what it imports of the rest was there before. */
const entries = [
  ...useCases.map((name) => join(core, "commands", `${name}.js`)),
  ...modulesIn(join(cli, "uploads")),
  ...serverCommands.flatMap((name) => modulesIn(join(cli, "commands", name))),
  ...modulesIn(join(cli, "commands", "runs")).filter((path) => path.endsWith("-remote.js")),
];
const isOwn = (id: string): boolean => entries.includes(id) || id.startsWith(join(core, "upload", sep));

it("adds less than 60 kB to the command line, all of its own modules minified", async () => {
  const build = await rolldown({
    input: entries,
    platform: "node",
    external: (id, importer) => importer !== undefined && !isOwn(resolve(dirname(importer), id)),
  });
  const { output } = await build.generate({ format: "esm", minify: { compress: true, mangle: { keepNames: true } } });
  await build.close();
  const chunks = output.flatMap((chunk) => (chunk.type === "chunk" ? [chunk] : []));
  const modules = chunks.flatMap(({ moduleIds }) => moduleIds);
  // Nothing of it is forgotten.
  expect(modules).toEqual(expect.arrayContaining([...entries, ...modulesIn(join(core, "upload", "client"))]));
  const bytes = chunks.reduce((sum, { code }) => sum + Buffer.byteLength(code), 0);
  expect(bytes).toBeGreaterThan(mostBytes / 4);
  expect(bytes).toBeLessThan(mostBytes);
});

const loadedBy = async (...words: string[]): Promise<string[]> => {
  const listing = `process.once("exit", () => process._rawDebug(JSON.stringify(Object.keys(require.cache))));`;
  const cwd = makeProject({ "list.cjs": listing });
  const { stderr } = await runProcess(words, { cwd, env: { NODE_OPTIONS: `--require ${join(cwd, "list.cjs")}` } });
  const files: string[] = JSON.parse(stderr.trimEnd().split("\n").at(-1) ?? "");
  return files.filter((file) => file.startsWith(packages));
};

/** The functions of the client, whose names minifying keeps. Those that read replies have names of providers too. */
const functions = modulesIn(join(core, "upload", "client"))
  .filter((path) => !path.endsWith("classify-reply.js"))
  .flatMap((path) => [...readFileSync(path, "utf8").matchAll(/^export (?:async )?function (\w+)/gm)])
  .map(([, name]) => `function ${name}(`);
const clientIn = (files: readonly string[]): string[] => {
  const code = files.map((file) => readFileSync(file, "utf8")).join("\n");
  return functions.filter((text) => code.includes(text));
};

it("costs --help nothing: no module of it is loaded", async () => {
  const [help, whoami] = await Promise.all([loadedBy("--help"), loadedBy("whoami")]);
  expect(help).toContain(cliPath);
  expect(clientIn(help)).toEqual([]);
  expect(clientIn(whoami).length, "is found where it is loaded").toBeGreaterThan(5);
});
