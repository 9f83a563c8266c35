import { makeProject } from "./make-project.js";
import type { RunEvent } from "../engine/run-event.js";
import type { TrialResult } from "../engine/run-result.js";
import { runTests } from "../commands/run-tests.js";
import { scriptedConfig } from "./scripted-config.js";

/** Feedback by which the scripts below distinguish the tries. */
const feedback = `feedback: "after try {{try}}: {{reason}}"`;
export const good = "{ type: contains, value: good }";

interface Written {
  rules?: readonly string[];
  otherwise?: string;
  /** Keys of the test in addition to its name. */
  test: string;
  suite?: string;
  more?: string;
  files?: Readonly<Record<string, string>>;
}

/** Runs one test on a scripted agent that has the tools look and pay. */
export async function runRetrying({
  rules = [],
  otherwise = "{ text: bad }",
  test,
  suite = "",
  more = "",
  files = {},
}: Written) {
  const suites = `  - name: s
    tools: [{ name: look, default: { return: seen } }, { name: pay, responses: [{ set: { paid: true }, return: ok }] }]
    state: { paid: false }
${suite}
    tests:
      - { name: t, ${test} }`;
  const config = scriptedConfig({ rules: `[${rules.join(", ")}]`, otherwise, suites, more });
  const cwd = makeProject({ "kindlm.yaml": config, ...files });
  const events: RunEvent[] = [];
  const ran = await runTests({ paths: [] }, { env: {}, cwd, onEvent: (event) => events.push(event) });
  if (!ran.success) throw new Error(JSON.stringify(ran.error));
  const trials: TrialResult[] = [];
  for await (const trial of ran.data.trials()) trials.push(trial);
  const [trial] = trials;
  const [result] = ran.data.suites.flatMap((of) => of.tests);
  if (trial === undefined || result === undefined || result.status === "skipped") throw new Error("no trial");
  return { trial, trials, result, events, run: ran.data };
}

/** The rule that answers try `n` (from 2). */
export const atTry = (n: number, reply: string, when = ""): string =>
  `{ when: { user: { $contains: "after try ${n - 1}" }${when} }, reply: ${reply} }`;
export const retry = (more = "", asserted = good): string =>
  `retry_until: { assert: [${asserted}], ${feedback}${more === "" ? "" : `, ${more}`} }`;
export const text = (value: string): string => `{ text: "${value}" }`;
export const call = (tool: string): string => `{ tool_calls: [{ tool: ${tool}, args: {} }] }`;
export const told = ({ messages }: TrialResult): unknown[] =>
  messages.map((message) => (message.role === "assistant" ? `> ${message.text}` : message.content));
