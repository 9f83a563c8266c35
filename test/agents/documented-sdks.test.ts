import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { makeProject } from "../../packages/core/src/__fixtures__/make-project.js";
import { repository, runCli } from "../support/run-cli.js";

const folder = join(repository, "docs", "sdks");
const readPage = (name: string): string => readFileSync(join(folder, name), "utf8");

interface Page {
  name: string;
  /** `agent.mjs` or `agent.py`. */
  file: string;
  program: string;
  /** The packages that it imports, in the versions that the page names. */
  packages: readonly string[];
}

/** The pages with a program, and what it needs. Packages without a version of their own come with the others. */
const pages = readdirSync(folder).flatMap((name): readonly Page[] => {
  const text = readPage(name);
  const [, program] = /```(?:js|python)\n([^]*?)```/.exec(text) ?? [];
  if (program === undefined) return [];
  const [tried = ""] = /^Tried: .*$/m.exec(text) ?? [];
  const packages = [...tried.matchAll(/`([^`]+)` (\d+(?:\.\d+)*)/g)].map(([, one, version]) => `${one}@${version}`);
  const file = /^(?:\/\/|#) (agent\.\w+)$/m.exec(program)?.[1] ?? "agent.mjs";
  return [{ name, file, program, packages }];
});

const modulesOf = (name: string): string => join(repository, "node_modules", ".cache", "kindlm-agents", `sdk-${name}`);

/** Installs what a page needs, once. */
function install({ name, packages }: Page): void {
  const place = modulesOf(name);
  if (packages.length === 0 || existsSync(join(place, "node_modules"))) return;
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, "package.json"), '{ "private": true, "type": "module" }');
  execFileSync("npm", ["install", "--no-audit", "--no-fund", ...packages, "zod@4"], {
    cwd: place,
    stdio: "pipe",
  });
}

/** The config of the README, in which a tool has the name by which the program's model knows it. */
function configFor({ file, name }: Page): string {
  const [, config = ""] = /```yaml file=kindlm.yaml\n([^]*?)```/.exec(readPage("README.md")) ?? [];
  const program = file.endsWith(".py") ? `[python3, ${file}]` : `[node, ${file}]`;
  const tool = name === "claude-agent-sdk.md" ? "mcp__shop__lookup_order" : "lookup_order";
  return config.replace("[node, agent.mjs]", program).replaceAll("lookup_order", tool);
}

describe.each(pages)("docs/sdks/$name", (page) => {
  beforeAll(() => install(page));

  it("has a program that runs as it is, and its calls and answers are seen", async () => {
    const cwd = makeProject({ "kindlm.yaml": configFor(page), [page.file]: page.program });
    if (page.packages.length > 0) symlinkSync(join(modulesOf(page.name), "node_modules"), join(cwd, "node_modules"));
    const { code, stdout, stderr } = await runCli(["test"], { cwd, env: { PATH: process.env["PATH"] ?? "" } });
    expect([code, stdout, stderr]).toEqual([0, expect.stringContaining("status: passed"), expect.anything()]);
  });
});

it("lists each page with the version that was tried", () => {
  const readme = readPage("README.md");
  for (const { name, packages } of pages) {
    expect(readme).toContain(`](${name})`);
    const [first] = packages;
    if (first !== undefined) expect(readme).toContain(`\`${first.replace(/@(?=\d)/, "` ")}`);
  }
});
