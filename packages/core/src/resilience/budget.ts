import { kindlmError, type KindlmError } from "../errors/kindlm-error.js";

/** The budget of a run. */
export interface Budget {
  /** What is known to be spent; calls without a known price are not in it. */
  readonly spentUsd: number;
  spend(usd: number): void;
  /** Why no further call may be made (ENGINE_BUDGET_EXCEEDED); null while the budget lasts. */
  refusal(): KindlmError | null;
}

/** `maxCostUsd`: US dollars that a run may cost; null for no limit. `onSpent` is called once it has cost as much. */
export function createBudget(maxCostUsd: number | null, onSpent?: () => void): Budget {
  let spentUsd = 0;
  return {
    get spentUsd() {
      return spentUsd;
    },
    spend(usd) {
      const hadMoney = maxCostUsd !== null && spentUsd < maxCostUsd;
      spentUsd += usd;
      if (hadMoney && spentUsd >= maxCostUsd) onSpent?.();
    },
    refusal() {
      if (maxCostUsd === null || spentUsd < maxCostUsd) return null;
      return kindlmError("ENGINE_BUDGET_EXCEEDED", `max_cost of $${maxCostUsd} is used up`, {
        details: { limit: "max_cost", value: maxCostUsd },
      });
    },
  };
}
