import { UsageError } from "../../usage-error.js";
import type { BaselineFlags } from "./command.js";
import type { BaselineAction } from "./run-baseline-command.js";

/** What belongs to some actions alone. */
const owners: readonly {
  flag: string;
  isGiven(flags: BaselineFlags): boolean;
  actions: readonly BaselineAction[];
}[] = [
  { flag: "--run", isGiven: ({ run }) => run !== undefined, actions: ["set", "compare"] },
  { flag: "--suite", isGiven: ({ suite }) => suite.length > 0, actions: ["set"] },
  { flag: "--note", isGiven: ({ note }) => note !== undefined, actions: ["set"] },
  { flag: "--allow-errored", isGiven: ({ allowErrored }) => allowErrored, actions: ["set"] },
  { flag: "--with-outputs", isGiven: ({ withOutputs }) => withOutputs, actions: ["set"] },
  { flag: "--prune", isGiven: ({ prune }) => prune, actions: ["set"] },
  { flag: "--dry-run", isGiven: ({ dryRun }) => dryRun, actions: ["set", "remove"] },
];

/** Throws a UsageError for what an action would ignore. */
export function checkBaselineFlags(action: BaselineAction, flags: BaselineFlags, names: readonly string[]): void {
  const stray = owners.find(({ isGiven, actions }) => isGiven(flags) && !actions.includes(action));
  if (stray !== undefined) {
    const { flag, actions } = stray;
    throw new UsageError(`kindlm baseline ${action} takes no ${flag}`, `It belongs to: ${actions.join(", ")}`);
  }
  const [first] = names;
  if (action === "show" && (first === undefined || names.length > 2)) {
    const fix = "Write: kindlm baseline show <suite> [case]; kindlm baseline list lists the suites";
    throw new UsageError(
      first === undefined ? "Nothing says which baseline to show" : "Only one suite can be shown",
      fix,
    );
  }
  if (action === "remove" && first === undefined) {
    throw new UsageError("Nothing says which baselines may go", "Write: kindlm baseline remove <suite…>");
  }
  if (first === undefined || action === "show" || action === "remove") return;
  const fix =
    action === "set"
      ? `Write: kindlm baseline set --suite ${first}, or --run ${first} for a run`
      : action === "compare"
        ? `Write: kindlm baseline compare --run ${first}`
        : `Write: kindlm baseline show ${first}`;
  throw new UsageError(`kindlm baseline ${action} does not know what to do with "${first}"`, fix);
}
