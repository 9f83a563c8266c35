import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { delimiter, join } from "node:path";
import { expect, it } from "vitest";
import { afterFile } from "../packages/core/src/__fixtures__/clean-up.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { parseYaml } from "../packages/core/src/__fixtures__/parse-yaml.js";
import { scriptedConfig } from "../packages/core/src/__fixtures__/scripted-config.js";
import { repository } from "./support/run-cli.js";
import { briefly, cliPath } from "./support/start-cli.js";

const searchPath = process.env["PATH"] ?? "";
const hasCurl = searchPath.split(delimiter).some((folder) => existsSync(join(folder, "curl")));

/** The job of the GitLab recipe, as the docs have it. */
function recipe(): { script: string[]; after_script: string[]; artifacts: { paths: string[]; reports: object } } {
  const docs = readFileSync(join(repository, "docs/ci.md"), "utf8");
  const block = /```yaml of=gitlab\n(# \.gitlab-ci\.yml\n[^`]*)```/.exec(docs)?.[1] ?? "";
  return (parseYaml(block) as { kindlm: ReturnType<typeof recipe> }).kindlm;
}

/** A GitLab that keeps what is posted to it. */
async function startGitlab(): Promise<{ url: string; posts: { path: string; token: unknown; body: string }[] }> {
  const posts: { path: string; token: unknown; body: string }[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => (text += chunk.toString()));
    request.on("end", () => {
      const body = new URLSearchParams(text).get("body") ?? "";
      posts.push({ path: `${request.method} ${request.url}`, token: request.headers["private-token"], body });
      response.writeHead(201).end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterFile(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v4`, posts };
}

it("the GitLab recipe fails with the tests, keeps its files, and comments on the merge request", async ({
  annotate,
}) => {
  const cwd = makeProject({
    "kindlm.yaml": scriptedConfig({
      otherwise: JSON.stringify({ text: "No" }),
      suites: `  - name: orders
    tests: [{ name: says-yes, input: Hello, assert: [{ type: contains, value: "Yes & more" }] }]`,
    }),
  });
  const programs = join(cwd, "programs");
  mkdirSync(programs);
  const put = (name: string, lines: string): void => {
    writeFileSync(join(programs, name), `#!/bin/sh\n${lines}\n`);
    chmodSync(join(programs, name), 0o755);
  };
  put("npm", "exit 0");
  put("npx", `shift; exec "${process.execPath}" ${briefly.join(" ")} "${cliPath}" "$@"`);
  const { url, posts } = await startGitlab();
  const env = {
    PATH: `${programs}${delimiter}${searchPath}`,
    CI: "true",
    CI_API_V4_URL: url,
    CI_PROJECT_ID: "7",
    CI_MERGE_REQUEST_IID: "3",
    GITLAB_TOKEN: "glpat-x",
  };
  const { script, after_script: after, artifacts } = recipe();
  const run = (lines: readonly string[]): Promise<number | string | null | undefined> =>
    new Promise((resolve) => {
      execFile("/bin/sh", ["-e", "-c", lines.join("\n")], { cwd, env }, (error) => resolve(error?.code ?? 0));
    });
  expect(await run(script)).toBe(1);
  expect(artifacts).toEqual({ when: "always", paths: ["out"], reports: { junit: "out/junit.xml" } });
  expect(["junit.xml", "report.html", "comment.md"].filter((name) => !existsSync(join(cwd, "out", name)))).toEqual([]);
  if (!hasCurl) return void (await annotate("the comment of the GitLab recipe, without curl", "untested"));
  expect(await run(after)).toBe(0);
  expect(posts).toEqual([
    {
      path: "POST /api/v4/projects/7/merge_requests/3/notes",
      token: "glpat-x",
      body: readFileSync(join(cwd, "out/comment.md"), "utf8"),
    },
  ]);
  expect(posts[0]?.body).toContain("Yes & more");
});
