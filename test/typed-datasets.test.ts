import { expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { runCli } from "./support/run-cli.js";

const config = (dataset: string): string => `version: 1
models:
  - id: m
    provider: scripted
    script:
      rules:
        - { when: { user: { $contains: ORD-1 }, turn: 1 }, reply: { tool_calls: [{ tool: pay, args: { amount: 49.99 } }] } }
        - { when: { user: { $contains: ORD-2 }, turn: 1 }, reply: { tool_calls: [{ tool: pay, args: { amount: 7 } }] } }
      otherwise: { text: Done }
suites:
  - name: s
    tools: [{ name: pay, default: { return: paid } }]
    tests:
      - name: pays
        dataset: ${dataset}
        input: "Pay {{id}}"
        assert: [{ type: tool_called, tool: pay, args: { amount: "{{total}}" } }]
`;
const csv = "id,total\nORD-1,49.99\nORD-2,7\n";

it("a number of a csv file matches once its column is typed, and the failure and validate offer it", async () => {
  const untyped = makeProject({ "kindlm.yaml": config("orders.csv"), "orders.csv": csv });
  const failed = await runCli(["test"], { cwd: untyped });
  expect(failed.code).toBe(1);
  const offer = "To compare numbers, write dataset: { file: …, columns: { total: number } }";
  expect(failed.stdout.replaceAll(/\s+/g, " ")).toContain(`"{{total}}" is a string here. ${offer}`);
  const validated = await runCli(["validate"], { cwd: untyped });
  expect(validated.code).toBe(0);
  expect(validated.stderr).toContain(offer);

  const typed = makeProject({
    "kindlm.yaml": config("{ file: orders.csv, columns: { total: number } }"),
    "orders.csv": csv,
  });
  const passed = await runCli(["test"], { cwd: typed });
  expect([passed.code, passed.stderr]).toEqual([0, ""]);
  expect(passed.stdout).toContain("2 passed");
});
