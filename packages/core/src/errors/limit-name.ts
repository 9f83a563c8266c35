/** A limit that ends a trial: those under `limits:`, and those under `workspace.limits:`. */
export type LimitName = BudgetLimit | WorkspaceLimit;

type BudgetLimit = "max_cost" | "max_trial_cost" | "max_tool_calls";
type WorkspaceLimit = "size" | "files" | "processes" | "time";
