import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { afterFile } from "../packages/core/src/__fixtures__/clean-up.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { sendJson, startServer } from "../packages/core/src/__fixtures__/start-server.js";
import { runCli } from "./support/run-cli.js";

const files = {
  "agent.mjs": `
    import { writeFileSync } from "node:fs";
    export const run = (input, { workspace }) => { writeFileSync(workspace + "/made.txt", input); return "Done"; };`,
  "writer.mjs": `
    import { readFileSync, writeFileSync } from "node:fs";
    const [folder] = process.argv.slice(2);
    writeFileSync("made.txt", readFileSync(0, "utf8"));
    console.log(folder === process.cwd() && folder === process.env.KINDLM_WORKSPACE ? "Done" : "Not at home");`,
  "tools.mjs": `
    import { writeFileSync } from "node:fs";
    export const put = { name: "put", input_schema: {}, exec: (_, { workspace }) => writeFileSync(workspace + "/made.txt", "Do it") };
    export const hook = { name: "hook", preToolUse: (_, { workspace }) => writeFileSync(workspace + "/hook.txt", "seen") };`,
  "place.sh": `#!/bin/sh\nprintf placed > "$KINDLM_WORKSPACE/placed.txt"\n`,
};

it("is known to every kind of target, to tools of one's own, and to hooks", async () => {
  const server = await startServer((request, response) => {
    const { input = "", folder = "" } = request.json as Record<string, string | undefined>;
    const isSame = request.headers["x-folder"] === folder && request.path === `/?at=${encodeURIComponent(folder)}`;
    writeFileSync(path.join(folder, "made.txt"), input);
    sendJson(response, 200, { text: isSame ? "Done" : "Not at home" });
  });
  afterFile(() => server.close());
  const made = [
    { type: "contains", value: "Done" },
    { type: "file", path: "made.txt", contains: "Do it" },
  ];
  const suite = (name: string, more: object, assert: readonly object[] = []) => ({
    name,
    workspace: {},
    ...more,
    tests: [{ name: "test", input: "Do it", assert: [...made, ...assert] }],
  });
  const http = {
    url: `${server.url}/?at={{workspace}}`,
    headers: { "x-folder": "{{workspace}}" },
    body: { input: "{{input}}", folder: "{{workspace}}" },
    response: { text: "text" },
  };
  const config = {
    version: 1,
    models: [
      {
        id: "agent",
        provider: "scripted",
        script: {
          rules: [{ when: { turn: 1 }, reply: { tool_calls: [{ tool: "put" }, { tool: "place" }] } }],
          otherwise: { text: "Done" },
        },
      },
    ],
    plugins: ["./tools.mjs#hook"],
    suites: [
      suite("module", { target: { module: "./agent.mjs#run" } }),
      suite("http", { target: http }),
      suite("command", { target: { command: [process.execPath, "./writer.mjs", "{{workspace}}"] } }),
      suite("tools", { tools: [{ module: "./tools.mjs#put" }, { name: "place", command: ["sh", "place.sh"] }] }, [
        { type: "file", path: "hook.txt", equals: "seen" },
        { type: "file", path: "placed.txt", equals: "placed" },
      ]),
    ],
  };
  const cwd = makeProject({ ...files, "kindlm.yaml": JSON.stringify(config) });
  const { code, stdout } = await runCli(["test"], { cwd });
  expect(stdout).toContain("Summary: 4 passed, 0 failed, 0 errored");
  expect(code).toBe(0);
});

it.each([
  [
    "a folder of the target's own",
    { command: ["node", "writer.mjs"], cwd: "agent" },
    {},
    '"cwd" of the target cannot be combined with a workspace: the program runs in the workspace',
  ],
  [
    "the path of none",
    { url: "http://127.0.0.1:1", body: "{{workspace}}" },
    false,
    "Unknown placeholder {{workspace}}",
  ],
])("is refused with %s", async (_name, target, workspace, message) => {
  const tests = [{ name: "test", input: "Do it", assert: [{ type: "contains", value: "Done" }] }];
  const config = { version: 1, suites: [{ name: "s", target, workspace, tests }] };
  const cwd = makeProject({ "agent/writer.mjs": "", "kindlm.yaml": JSON.stringify(config) });
  expect((await runCli(["validate"], { cwd })).stderr).toContain(message);
});
