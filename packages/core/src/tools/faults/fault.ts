import type { FaultKind } from "../../transcript/fired-fault.js";
import type { WrittenToolError } from "../tool-config.js";
import * as z from "../../values/deferred-zod.js";
import { durationSchema } from "../../schema-parts/duration-schema.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { toolGlob } from "../../schema-parts/tool-glob.js";
import { externalEditKeys, flawOfExternalEdit, toExternalEdit, type ExternalEditEffect } from "./external-edit.js";
import { toolErrorSchema } from "../tool-error-schema.js";

const sharedKeys = {
  id: z
    .string()
    .regex(/^[^\s@#[\]+]+$/, { error: "a fault has no space in its id, and none of @ # [ ] +" })
    .optional()
    .describe("Name of the fault in case ids and messages; kind:tool when left out")
    .meta({ examples: ["upstream-down"] }),
  tool: toolGlob
    .describe("Name of the tool; * and ? stand for any text and any character")
    .meta({ examples: ["lookup_order", "*"] }),
  call: z
    .int()
    .min(1)
    .optional()
    .describe("Fires on the n-th call of the tool, counting from 1; with `times`, on those that follow too"),
  times: z.int().min(1).optional().describe("How many calls it hits; all when left out, one with `call`"),
  rate: z
    .number()
    .gt(0)
    .max(1)
    .optional()
    .describe("Probability for each call, 0 to 1, drawn from the seed of the run, case and trial")
    .meta({ examples: [0.2] }),
};

const kindOf = <K extends FaultEffect["kind"]>(name: K, text: string) => z.literal(name).describe(text);

const faultSchema = z
  .discriminatedUnion("kind", [
    strictObject({
      ...sharedKeys,
      kind: kindOf("error", "The tool is not run; the model receives an error"),
      error: toolErrorSchema
        .optional()
        .describe("The error; a runtime error that says `service unavailable` if left out"),
    }),
    strictObject({
      ...sharedKeys,
      kind: kindOf("latency", "The tool takes longer"),
      delay: durationSchema.describe("Waits this long before the tool is run").meta({ examples: ["5s"] }),
    }),
    strictObject({ ...sharedKeys, kind: kindOf("hang", "The tool is not run and never answers, until its deadline") }),
    strictObject({
      ...sharedKeys,
      kind: kindOf("truncate", "The answer is cut"),
      keep: z.int().min(0).optional().describe("Characters of the answer that are left; half of them if left out"),
    }),
    strictObject({
      ...sharedKeys,
      kind: kindOf("drop_fields", "Fields of the answer are missing"),
      fields: z
        .array(z.string().regex(/^[^.]+(\.[^.]+)*$/, { error: "a field is a name, or names with dots between" }))
        .min(1)
        .optional()
        .describe("Paths of the fields; one that the seed chooses if left out")
        .meta({ examples: [["status", "customer.email"]] }),
    }),
    strictObject({ ...sharedKeys, kind: kindOf("malformed_json", "The answer is text that does not parse as JSON") }),
    strictObject({ ...sharedKeys, kind: kindOf("duplicate", "The tool is run twice; the second answer counts") }),
    strictObject({
      ...sharedKeys,
      ...externalEditKeys,
      kind: kindOf("external_edit", "Somebody else changes a file of the workspace before the tool is run"),
    }),
  ])
  .superRefine((fault, context) => {
    const { call, rate } = fault;
    const flaw = fault.kind === "external_edit" ? flawOfExternalEdit(fault) : null;
    if (flaw !== null) context.addIssue({ code: "custom", path: ["kind"], message: flaw });
    if (call === undefined || rate === undefined) return;
    context.addIssue({
      code: "custom",
      path: ["rate"],
      message: '"call" and "rate" cannot be combined\nA fault hits a certain call, or each call with a probability',
      params: { atKey: true },
    });
  });

/** `faults:` of a suite or test. */
export const faultsSchema = z
  .union([
    z.array(faultSchema).transform((list) => ({ expand: false, list })),
    strictObject({
      expand: z
        .boolean()
        .default(false)
        .describe("Whether the test runs once without faults and once for each of them. Default: false"),
      list: z.array(faultSchema).min(1).describe("The faults"),
    }),
  ])
  .transform(({ expand, list }, context): FaultPlan => {
    const names = nameFaults(list);
    for (const [index, { id }] of list.entries()) {
      if (id === undefined || list.findIndex((other) => other.id === id) === index) continue;
      context.addIssue({
        code: "custom",
        message: `The fault ID "${id}" is already used\nGive each fault a unique id`,
      });
    }
    return { expand, list: list.map((written, index) => toFault(written, names[index] ?? "")) };
  })
  .describe("Failures of tools that are put in between, whatever the tool would have answered; [] for none")
  .meta({
    examples: [
      [{ tool: "lookup_order", kind: "error", call: 1 }],
      {
        expand: true,
        list: [
          { tool: "*", kind: "hang", call: 1 },
          { tool: "lookup_order", kind: "drop_fields" },
        ],
      },
    ],
  });

/** What a fault does, with the settings of its kind. */
export type FaultEffect =
  | { kind: "error"; error: WrittenToolError }
  | { kind: "latency"; delayMs: number }
  | { kind: "hang" }
  /** Characters that are kept; null for half of them. */
  | { kind: "truncate"; keep: number | null }
  /** Paths such as `customer.email`; null for one field, chosen by the seed. */
  | { kind: "drop_fields"; fields: readonly string[] | null }
  | { kind: "malformed_json" }
  | { kind: "duplicate" }
  | ExternalEditEffect;

/** A failure that is put between the runtime and a tool of whatever source. */
export interface Fault {
  /** Unique within its test; follows `+` in the ID of its case. */
  id: string;
  /** Name or glob. Calls of all tools it names are counted together. */
  tool: string;
  /** Fires from the n-th call on, from 1; null for no such condition. */
  call: number | null;
  /** How many calls it takes; null for one with `call`, and for all without. */
  times: number | null;
  /** Probability for each call; null for certainty. */
  rate: number | null;
  effect: FaultEffect;
}

/** `faults:` of a test or suite. */
export interface FaultPlan {
  /** Each fault has its own case, in addition to the one without faults. */
  expand: boolean;
  list: readonly Fault[];
}

/** The faults of one case. `id` is null in the clean case, and where all of them share one case. */
export interface FaultVariant {
  id: string | null;
  faults: readonly Fault[];
}

/** What a fault is called where the config gives it no `id`: its kind and tool, and a number where that is taken. */
export function nameFaults(faults: readonly { id?: string | undefined; kind: FaultKind; tool: string }[]): string[] {
  const taken = new Set(faults.flatMap(({ id }) => id ?? []));
  return faults.map(({ id, kind, tool }) => {
    if (id !== undefined) return id;
    const name = `${kind}:${tool}`;
    let free = name;
    for (let number = 2; taken.has(free); number += 1) free = `${name}:${number}`;
    taken.add(free);
    return free;
  });
}

const clean: FaultVariant = { id: null, faults: [] };
const noVariants = [clean] as const;

/** The variants of a test's cases: one for all faults, or the clean case and one for each. */
export function faultVariants(plan: FaultPlan | null): readonly [FaultVariant, ...FaultVariant[]] {
  if (plan === null || plan.list.length === 0) return noVariants;
  if (!plan.expand) return [{ id: null, faults: plan.list }];
  return [clean, ...plan.list.map((fault) => ({ id: fault.id, faults: [fault] }))];
}

type WrittenFault = z.output<typeof faultSchema>;

function toFault(written: WrittenFault, id: string): Fault {
  const { tool, call, times, rate } = written;
  return {
    id,
    tool,
    call: call ?? null,
    times: times ?? null,
    rate: rate ?? null,
    effect: toEffect(written),
  };
}

function toEffect(written: WrittenFault): FaultEffect {
  switch (written.kind) {
    case "error":
      return { kind: "error", error: written.error ?? { type: "runtime", message: "service unavailable" } };
    case "latency":
      return { kind: "latency", delayMs: written.delay };
    case "truncate":
      return { kind: "truncate", keep: written.keep ?? null };
    case "drop_fields":
      return { kind: "drop_fields", fields: written.fields ?? null };
    case "external_edit":
      return toExternalEdit(written);
    default:
      return { kind: written.kind };
  }
}
