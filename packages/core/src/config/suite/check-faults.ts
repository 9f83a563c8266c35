import type { Fault, FaultPlan } from "../../tools/faults/fault.js";
import { isRecord } from "../../values/json.js";
import { didYouMean } from "../../values/nearest-name.js";
import { matchesNameGlob } from "../../values/name-glob.js";
import { report, type Section } from "../source/section.js";
import type { KnownTools } from "./resolve-tools.js";
import type { Path } from "../source/written.js";

/** What the faults of a test are measured against. */
export interface FaultSurroundings {
  tools: KnownTools;
  maxToolCalls: number;
}

/** Reports faults on tools that there are not, and those that can never fire. `section` holds the key `faults`. */
export function checkFaults(
  section: Section,
  plan: FaultPlan,
  { tools: known, maxToolCalls }: FaultSurroundings,
): void {
  const { names: tools, areAll } = known;
  const isExpanded = isRecord(section.value) && isRecord(section.value["faults"]);
  const at: Path = isExpanded ? ["faults", "list"] : ["faults"];
  for (const [index, fault] of plan.list.entries()) {
    const struck = tools.filter((tool) => matchesNameGlob(fault.tool, tool));
    // A tool that is not known by name yet may be the one that is meant.
    if (struck.length === 0 && areAll) {
      const listed = tools.length > 0 ? `Tools of the test: ${tools.join(", ")}` : "The suite defines no tools";
      report(section, {
        path: [...at, index, "tool"],
        message: `No tool of the test is named "${fault.tool}"`,
        hint: didYouMean(fault.tool, tools) ?? listed,
      });
      continue;
    }
    if (fault.call !== null && fault.call > maxToolCalls) {
      report(section, {
        path: [...at, index, "call"],
        severity: "warning",
        message: `The fault "${fault.id}" is meant for call ${fault.call}, but "max_tool_calls" is ${maxToolCalls}, so it never fires`,
        hint: "Lower `call`, or raise limits.max_tool_calls",
      });
    }
    const blocker = plan.expand ? undefined : blockerOf(plan.list.slice(0, index), struck);
    if (blocker === undefined) continue;
    report(section, {
      path: [...at, index],
      severity: "warning",
      message: `The fault "${fault.id}" never fires: "${blocker.id}" comes before it on every call`,
      hint: "A call meets one fault, the first that is due; give them `call` or `times`, or set expand: true",
    });
  }
}

/** The fault that leaves nothing for those behind it on these tools. */
function blockerOf(earlier: readonly Fault[], struck: readonly string[]): Fault | undefined {
  return earlier.find(
    ({ tool, call, times, rate }) =>
      call === null &&
      times === null &&
      (rate === null || rate === 1) &&
      struck.every((name) => matchesNameGlob(tool, name)),
  );
}
