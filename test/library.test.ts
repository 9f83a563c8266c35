import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { evaluateAssertion, type AssertionConfig } from "../packages/core/dist/index.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";

const toolCalls = [{ tool: "lookup_order", args: { order_id: "ORD-1" } }];

describe("evaluateAssertion", () => {
  it("needs an assertion and a trial, and nothing else", async () => {
    const assertion: AssertionConfig = {
      any_of: [
        { type: "tool_called", tool: "lookup_order", args: { order_id: { $regex: "^ORD-" } }, times: 1 },
        { type: "contains", value: ["refund", "order"] },
      ],
      id: "asks",
    };
    expect(await evaluateAssertion({ assertion, trial: { toolCalls } })).toMatchObject({
      success: true,
      data: { type: "any_of", id: "asks", pass: true },
    });
  });

  it("compiles with the types, keys and values of the registry only", async () => {
    const trial = { toolCalls, output: "" };
    const outcomes = [
      // @ts-expect-error the type is misspelt
      await evaluateAssertion({ assertion: { type: "tool_caled", tool: "x" }, trial }),
      // @ts-expect-error the key is misspelt
      await evaluateAssertion({ assertion: { type: "tool_called", tol: "x" }, trial }),
      // @ts-expect-error the value has another type
      await evaluateAssertion({ assertion: { type: "tool_called", tool: "x", times: "once" }, trial }),
      // @ts-expect-error a required key is missing
      await evaluateAssertion({ assertion: { type: "tool_called" }, trial }),
      // @ts-expect-error a member of a group is misspelt
      await evaluateAssertion({ assertion: { all_of: [{ type: "contain", value: "x" }] }, trial }),
    ];
    expect(outcomes.map((outcome) => (outcome.success ? outcome : outcome.error.code))).toEqual(
      outcomes.map(() => "CONFIG_VALIDATION_ERROR"),
    );
  });

  it("finds files in the folder that it is given", async () => {
    const cwd = makeProject({ "order.json": '{ "type": "object" }' });
    const assertion = { type: "schema", schema_file: "order.json" } as const;
    expect(await evaluateAssertion({ assertion, trial: { output: "{}" }, cwd })).toMatchObject({
      data: { pass: true },
    });
    const elsewhere = await evaluateAssertion({ assertion, trial: { output: "{}" }, cwd: join(cwd, "none") });
    expect(elsewhere).toMatchObject({ error: { code: "SCHEMA_FILE_ERROR" } });
  });
});
