import { describe, expect, it } from "vitest";
import { compileSchema } from "../json-schema/compile-schema.js";
import * as z from "../values/deferred-zod.js";
import { gatesSchema } from "./gates-schema.js";
import { mergeGates, readGates } from "./read-gates.js";
import { definitionOf, gateDefinitions, gatesIn, resultNameOf, withoutGates } from "./registry.js";

const examples = gateDefinitions.flatMap((gate) =>
  gate.examples.map((example) => [gate.name, JSON.stringify(example), gate, example] as const),
);

const asJson = z.toJSONSchema(gatesSchema, { io: "input", target: "draft-7" });
const compiled = compileSchema(z.record(z.string(), z.json()).parse(asJson));
if (!compiled.success) throw new Error(compiled.error.message);
const editors = compiled.data;

it.each(gateDefinitions.map((gate) => [gate.name, gate] as const))(
  "%s is found by its results, and says in a sentence what it limits",
  (name, gate) => {
    expect(name).toMatch(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/);
    expect(gate.summary).toMatch(/^[A-Z].{20,}\.$/);
    expect(gate.examples).not.toEqual([]);
    expect(definitionOf({ name: resultNameOf(gate) })).toBe(gate);
    expect(definitionOf({ name: resultNameOf(gate, "part") })).toBe(gate);
  },
);

it.each(examples)(
  "%s takes its example %s, in the schema for editors too, and sets a limit by it",
  (name, _, gate, example) => {
    const written = gatesSchema.parse({ [name]: example });
    const kept = readGates(written) ?? {};
    expect(Object.keys(kept)).toEqual([gate.keptAs]);
    expect(gatesIn(kept)).toMatchObject([{ gate: { name } }]);
    expect(withoutGates(kept, (one) => one === gate)).toEqual({});
    expect(editors.validate({ [name]: example })).toEqual([]);
  },
);

describe("all gates", () => {
  it("have keys and results of their own", () => {
    for (const key of ["name", "keptAs"] as const) {
      expect(new Set(gateDefinitions.map((gate) => gate[key])).size).toBe(gateDefinitions.length);
    }
    expect(new Set(gateDefinitions.map((gate) => resultNameOf(gate))).size).toBe(gateDefinitions.length);
    expect(definitionOf({ name: "of_a_later_version" })).toBeUndefined();
  });

  it("say which key was meant", () => {
    const read = gatesSchema.safeParse({ pass_rat: 1 });
    expect(read.error?.issues.map(({ message }) => message)).toEqual([
      'Unknown key "pass_rat"\nDid you mean "pass_rate"?',
    ]);
  });

  // A merge compares these rules, also those of runs of an earlier version.
  it("keep the keys under which run.json holds them", () => {
    const written = {
      pass_rate: 0.95,
      first_try: 0.8,
      judge_avg: 0.7,
      errored: 1,
      cost: 2,
      latency_p95: "8s",
      tool_errors: { runtime: 1, validation: 5 },
      utility: 0.9,
      utility_under_attack: 0.8,
      attack_success_rate: 0.05,
      regressions: 0,
      on_inconclusive: "fail",
      cost_increase: 10,
      tokens_increase: 12.5,
      latency_increase: 50,
      turns_increase: 0,
      tool_calls_increase: 20,
    };
    expect(readGates(gatesSchema.parse(written))).toEqual({
      passRate: 0.95,
      firstTry: 0.8,
      judgeAvg: 0.7,
      errored: 1,
      costUsd: 2,
      latencyP95Ms: 8_000,
      toolErrors: { validation: 5, runtime: 1 },
      utility: 0.9,
      utilityUnderAttack: 0.8,
      attackSuccessRate: 0.05,
      regressions: 0,
      onInconclusive: "fail",
      costIncrease: 10,
      tokensIncrease: 12.5,
      latencyIncrease: 50,
      turnsIncrease: 0,
      toolCallsIncrease: 20,
    });
    expect(readGates(gatesSchema.parse({ tool_errors: 3 }))).toEqual({ toolErrors: { total: 3 } });
    expect(readGates(gatesSchema.parse({ tool_errors: {} }))).toBeUndefined();
    expect(readGates(undefined)).toBeUndefined();
  });

  it("are merged of several configs, key by key where one takes an object", () => {
    const all = [
      { cost: 1, tool_errors: { validation: 5 } },
      { errored: 0, tool_errors: { runtime: 1, validation: 5 } },
    ];
    const disputed: string[] = [];
    const merged = mergeGates(all, (name, read) => {
      const values = all.map(read).filter((value) => value !== undefined);
      if (values.length > 1) disputed.push(`${name}: ${JSON.stringify(values)}`);
      return values[0];
    });
    expect(merged).toEqual({ errored: 0, costUsd: 1, toolErrors: { validation: 5, runtime: 1 } });
    expect(disputed).toEqual(["tool_errors: [5,5]"]);
  });
});
