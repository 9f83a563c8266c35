import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findStarter } from "./support/find-starter.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { runProcess } from "./support/start-cli.js";

const config = `version: 1
models:
  - id: m
    provider: scripted
    script:
      rules: [{ when: { turn: 1 }, reply: { tool_calls: [{ tool: program, args: {} }] } }]
      otherwise: { text: done }
defaults: { assert: [{ type: no_tool_errors }] }
suites:
  - name: target
    target: { command: [no-such-program] }
    tests: [{ name: t, input: hi }]
  - name: file
    target: { command: [./closed/agent] }
    tests: [{ name: t, input: hi }]
  - name: tool
    tools: [{ name: program, command: [no-such-program] }]
    tests: [{ name: t, input: hi }]
  - name: path
    tools: [{ name: program, command: [./closed/agent] }]
    tests: [{ name: t, input: hi }]
  - name: server
    mcp_servers: [{ name: s, command: [no-such-program] }]
    tests: [{ name: t, input: hi }]
`;
interface Failed {
  error: { message: string } | null;
}
interface Report {
  suites: (Failed & { name: string; tests: (Failed & { trials: { toolCalls: Failed[] }[] })[] })[];
}

const cwd = makeProject({ "kindlm.yaml": config });
const closed = join(cwd, "closed");
mkdirSync(closed);
chmodSync(closed, 0);

/** Root may enter every folder, unless it is started without the capabilities to override permissions. */
const starter = findStarter(
  [[], ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]],
  ["test", "!", "-x", closed],
);

describe("a PATH that names a folder that may not be entered", () => {
  it.for(starter === null ? ["who may enter every folder"] : [])("cannot be tried by %s", async (who, { annotate }) => {
    await annotate(`what ${who} is told of a missing program, without setpriv`, "untested");
  });

  it.for(starter === null ? [] : [starter])("does not turn a missing program into a forbidden one", async (before) => {
    const through = [...before, "env", `PATH=${closed}`];
    const ran = await runProcess(["test", "--no-journal", "--reporter", "json"], { cwd, through });
    expect(ran.code).toBe(1);
    const { suites } = JSON.parse(ran.stdout) as Report;
    const reasons = suites.map(({ name: suite, error, tests: [test] }) => {
      const called = test?.trials[0]?.toolCalls[0];
      return [suite, (called ?? test ?? {}).error?.message ?? error?.message];
    });
    const missing = `Could not start no-such-program: program not found; no permission to enter ${closed}, which is in PATH`;
    expect(Object.fromEntries(reasons)).toEqual({
      target: missing,
      file: 'Target "closed/agent" cannot be read: permission denied',
      tool: missing,
      path: `Could not start ${closed}/agent: no permission to enter the folder ${closed}`,
      server: `The MCP server "s" cannot be used: ${missing}`,
    });
  });
});
