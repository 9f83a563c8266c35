import { describe, expect, it } from "vitest";
import { liner, lines, said } from "./__fixtures__/json-lines-agent.js";
import { any, runTarget } from "./__fixtures__/run-target.js";

describe.concurrent("a call whose result the agent does not wait for", () => {
  const test = (timeouts: string, more = ""): string =>
    `\n      - { name: t, input: hi, faults: [{ tool: lookup, kind: hang }], timeouts: ${timeouts}, assert: ${any}${more} }`;
  const call = `type: "tool_call", id: "1", tool: "lookup", args: { id: "A" }`;
  const liners = liner(said(`say({ ${call} }); say({ type: "text", text: "bye" }); say({ type: "done" });`));
  const module = `export default (input, { tools }) => { void tools.call("lookup", { id: "A" }); return "bye"; };`;

  it.each([
    ["lines", lines, liners],
    ["a module", `{ module: "./agent.mjs" }`, module],
  ])("is on the record with what came of it: %s", async (_name, target, agent) => {
    const files = { "agent.mjs": agent };
    const { trial } = await runTarget({ target, files, tests: test("{ tool: 50ms }") });
    expect(trial).toMatchObject({ status: "passed", toolCalls: [{ tool: "lookup", error: { errorType: "aborted" } }] });
    const { trial: ended } = await runTarget({ target, files, tests: test("{ tool: 50ms }", ", on_tool_error: fail") });
    expect(ended).toMatchObject({ status: "failed", assertions: [{ type: "on_tool_error" }, { pass: true }] });
  });

  it("holds no trial longer than its deadline", async () => {
    const tests = test("{ tool: 1h, trial: 200ms }");
    const { trial } = await runTarget({ target: `{ module: "./agent.mjs" }`, files: { "agent.mjs": module }, tests });
    expect(trial.error).toMatchObject({ code: "ENGINE_TIMEOUT" });
  });
});
