import { matcherSchema } from "../../matchers/matcher-schema.js";
import { success } from "../../result.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { argsOf } from "../../transcript/args-of.js";
import type { TrialToolCall } from "../../transcript/trial.js";
import { isRecord } from "../../values/json.js";
import { plural } from "../../values/plural.js";
import { preview } from "../../values/preview.js";
import * as z from "../../values/deferred-zod.js";
import { defineAssertion } from "../define-assertion.js";
import { readToolCalls } from "../tool-expectations/made-calls.js";

const type = "todo";
const statuses = ["pending", "in_progress", "completed"] as const;
const count = z.int().nonnegative();

const options = strictObject({
  all: z.enum(statuses).optional().describe("Every todo of the list has this status, and there is one."),
  title: matcherSchema.optional().describe("Counts only todos whose title matches. Default: any."),
  status: z.enum(statuses).optional().describe("Counts only todos with this status. Default: any."),
  min: count.optional().describe("How many todos there are at least. Default: 1."),
  max: count.optional().describe("How many todos there are at most."),
}).superRefine(({ all, ...counted }, context) => {
  const [key] = Object.keys(counted);
  if (all === undefined || key === undefined) return;
  const message = `"all" cannot be combined with "${key}"`;
  context.addIssue({ code: "custom", path: ["all"], message, params: { atKey: true } });
});

export const todo = defineAssertion<z.infer<typeof options>>({
  type,
  summary: "The todo list that the agent wrote last has these todos.",
  example: "{ type: todo, all: completed }",
  kind: "deterministic",
  spansUserTurns: true,
  options,
  references: ({ max }) => [{ kind: "tool", name: "todo_write", needed: max !== 0, path: ["type"] }],
  evaluate({ all, title, status, min = 1, max = Number.POSITIVE_INFINITY }, trial) {
    const calls = readToolCalls(trial, type);
    if (!calls.success) return calls;
    const list = calls.data.reduce<readonly ListedTodo[] | null>((last, call) => listIn(call) ?? last, null);
    const todos = list ?? [];
    const actual = todos.map((one) => ({ ...one }));
    const shown = list === null ? "the agent wrote no todos" : `the list is ${describeList(todos)}`;
    if (all !== undefined) {
      const other = todos.find((one) => one.status !== all);
      if (other === undefined && todos.length > 0) {
        return success({ pass: true, score: 1, message: `All ${plural(todos.length, "todo")} are ${all}`, actual });
      }
      const miss = other === undefined ? shown : `${preview(other.title)} is ${other.status}`;
      const message = `Expected all todos to be ${all}, but ${miss}`;
      return success({ pass: false, score: 0, message, expected: { all }, actual });
    }
    const found = todos.filter(
      (one) => (status === undefined || one.status === status) && (title === undefined || title.match(one.title).pass),
    );
    const what = `todos${status === undefined ? "" : ` that are ${status}`}${title === undefined ? "" : ` with title ${title.describe()}`}`;
    if (found.length >= Math.min(min, max) && found.length <= max) {
      return success({ pass: true, score: 1, message: `${found.length} ${what}`, actual });
    }
    const bound = found.length > max ? `at most ${max}` : `at least ${min}`;
    const message = `Expected ${bound} ${what}, but there are ${found.length}: ${shown}`;
    const expected = {
      ...(title === undefined ? {} : { title: title.source }),
      ...(status === undefined ? {} : { status }),
      min,
      ...(max === Number.POSITIVE_INFINITY ? {} : { max }),
    };
    return success({ pass: false, score: 0, message, expected, actual });
  },
});

interface ListedTodo {
  title: string;
  status: string;
}

/** The list that a call wrote; null for every other call, one that failed, and one of a sub-agent. */
function listIn(call: TrialToolCall): readonly ListedTodo[] | null {
  if (call.tool !== "todo_write" || call.error !== undefined || call.delegates !== undefined) return null;
  const args = argsOf(call);
  const written: unknown = isRecord(args) ? args["todos"] : undefined;
  if (!Array.isArray(written)) return null;
  return written.flatMap((one: unknown) =>
    isRecord(one) ? [{ title: String(one["title"]), status: String(one["status"]) }] : [],
  );
}

function describeList(todos: readonly ListedTodo[]): string {
  if (todos.length === 0) return "empty";
  const shown = todos.slice(0, 5).map(({ title, status }) => `${preview(title)} (${status})`);
  return `${shown.join(", ")}${todos.length > 5 ? " and more" : ""}`;
}
