import { strictObject } from "../../schema-parts/strict-object.js";
import { toolErrorTypes, type ToolErrorType } from "../../transcript/tool-failure.js";
import * as z from "../../values/deferred-zod.js";
import { defineGate } from "../define-gate.js";
import { atMost, type GatedSummary, type SummaryLimit } from "../gate-limit.js";

/** `total` counts all types. */
type MostErrors = Partial<Record<ToolErrorType | "total", number>>;

const most = z.int().min(0);
const byType = strictObject({
  validation: most.optional().describe("Arguments that break the tool's schema, and tools that do not exist"),
  runtime: most.optional().describe("The tool threw"),
  logical: most.optional().describe("The tool said that it failed"),
  aborted: most.optional().describe("Timeouts and interruptions"),
  exception: most.optional().describe("Failures around the tool"),
} satisfies Record<ToolErrorType, unknown>);
const schema: z.ZodType<MostErrors> = z.union([most.transform((total) => ({ total })), byType]);

export const toolErrors = defineGate({
  name: "tool_errors",
  keptAs: "toolErrors",
  summary: "Most tool calls that may end in an error: of all types together, or by type.",
  examples: [{ validation: 5 }, 20],
  schema,
  readsFailures: "none",
  limitsOf: ({ total, ...types }) => [
    ...(total === undefined ? [] : [atMost(total, "count", countAll)]),
    ...toolErrorTypes.flatMap((type): readonly SummaryLimit[] => {
      const limit = types[type];
      return limit === undefined
        ? []
        : [{ ...atMost(limit, "count", ({ toolErrors: counts }) => counts[type] ?? 0), part: type }];
    }),
  ],
});

function countAll({ toolErrors: counts }: GatedSummary): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
