import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeProject } from "../../packages/core/src/__fixtures__/make-project.js";
import { runCli } from "./run-cli.js";

/** Assertions on what the agents of the recorders do, some of which fail. */
export const tracedConfig = `version: 1
suites:
  - name: orders
    target: { command: [node, agent.mjs] }
    tests:
      - name: refund
        input: Refund order ORD-7, please
        assert:
          - { type: tool_called, tool: lookup_order, args: { order_id: ORD-7 }, times: 1, result: { status: delivered } }
          - { type: tool_order, tools: [lookup_order, refund] }
          - { type: contains, value: expired }
          - { type: tool_not_called, tool: refund, args: { amount: 12.5 } }
          - { type: max_tool_calls, tool: refund, max: 1 }
          - { type: asks_before, tool: refund }
          - { type: tool_called, tool: refund, user_turn: 1 }
`;

export interface ScoredCase {
  status: string;
  assertions: readonly { type: string; pass: boolean; message: string }[];
  trials: readonly { output: string; toolCalls?: readonly Record<string, unknown>[]; usage?: object }[];
}

/** Scores files, and returns the only case of the report. */
export async function scoredCase(
  config: string,
  files: Readonly<Record<string, string | Uint8Array>>,
  as?: string,
): Promise<ScoredCase> {
  const cwd = makeProject({ "kindlm.yaml": config });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), content);
  const args = ["score", ...Object.keys(files), "--no-journal", "--verbose", "--reporter", "json"];
  const { stdout, stderr } = await runCli([...args, ...(as === undefined ? [] : ["--as", as])], { cwd });
  if (!stdout.startsWith("{")) throw new Error(stderr);
  const report = JSON.parse(stdout) as { suites: { tests: ScoredCase[] }[] };
  const [only] = report.suites.flatMap(({ tests }) => tests);
  if (only === undefined) throw new Error("There is no case");
  return only;
}

/** The verdicts and the answer. Results of failed calls are errors in spans, and text in a conversation. */
export async function scoreTrace(...files: Parameters<typeof scoredCase>): Promise<object> {
  const { status, assertions, trials } = await scoredCase(...files);
  return {
    status,
    assertions: assertions.map(({ type, pass, message }) => ({ type, pass, message })),
    output: trials.map(({ output }) => output),
  };
}
