import * as z from "../../values/deferred-zod.js";
import { success } from "../../result.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { isRecord } from "../../values/json.js";
import { plural } from "../../values/plural.js";
import type { AssertionOutcome } from "../assertion-result.js";
import { defineAssertion } from "../define-assertion.js";
import { readDirectCall } from "../tool-expectations/read-direct-call.js";

const options = strictObject({
  min: z.number().int().min(0).optional().describe("Fewest notifications of progress. Default: 1."),
  max: z.number().int().min(0).optional().describe("Most notifications of progress."),
  completes: z
    .boolean()
    .optional()
    .describe("Whether the last notification has to reach the total that it names. Default: false."),
});

type Options = z.infer<typeof options>;

export const mcpProgress = defineAssertion<Options>({
  type: "mcp_progress",
  summary:
    "The MCP server under test reported progress during the call, and each value was greater than the one before.",
  example: "{ type: mcp_progress, min: 2, completes: true }",
  kind: "deterministic",
  options,
  evaluate(wanted, trial) {
    const call = readDirectCall(trial, "mcp_progress");
    if (!call.success) return call;
    const { events = [] } = call.data;
    return success(
      decide(
        wanted,
        events.flatMap(({ name, data }) => (name === "progress" ? readProgress(data) : [])),
      ),
    );
  },
});

interface Progress {
  progress: number;
  total: number | null;
}

function readProgress(data: unknown): readonly Progress[] {
  if (!isRecord(data) || typeof data["progress"] !== "number") return [];
  return [{ progress: data["progress"], total: typeof data["total"] === "number" ? data["total"] : null }];
}

function decide(
  { min = 1, max = Number.POSITIVE_INFINITY, completes = false }: Options,
  reported: readonly Progress[],
) {
  const values = reported.map(({ progress }) => progress);
  const outcome = (pass: boolean, message: string): AssertionOutcome => ({
    pass,
    score: pass ? 1 : 0,
    message,
    ...(pass ? {} : { actual: reported }),
  });
  const count = plural(values.length, "notification");
  if (values.length < min)
    return outcome(false, `Expected at least ${plural(min, "notification")} of progress, got ${count}`);
  if (values.length > max)
    return outcome(false, `Expected at most ${plural(max, "notification")} of progress, got ${count}`);
  const back = values.findIndex((value, index) => index > 0 && value <= (values[index - 1] ?? 0));
  if (back !== -1) {
    return outcome(false, `Expected progress to increase, but ${values[back]} came after ${values[back - 1]}`);
  }
  const last = reported.at(-1);
  if (completes && (last === undefined || last.total === null || last.progress < last.total)) {
    const found = last === undefined ? "nothing" : `${last.progress} of ${last.total ?? "an unknown total"}`;
    return outcome(false, `Expected progress to reach its total, but the last notification says ${found}`);
  }
  return outcome(true, `The server sent ${count} of progress: ${values.join(", ")}`);
}
