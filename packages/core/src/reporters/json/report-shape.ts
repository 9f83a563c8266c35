import { runFields, type RunResult } from "../../engine/run-result.js";
import { modelComparisonShape } from "../../engine/summary/compare-models.js";
import { suiteShape } from "../../engine/suite-result.js";
import { described, list } from "../../shape/compound.js";
import { derived, supplied } from "../../shape/field.js";
import { record } from "../../shape/record.js";
import { count, flag, literal, oneOf, text } from "../../shape/scalars.js";
import { flakyCases, quarantinedTests } from "../flaky-tests.js";

/** The version of the report's shape; `runResultJsonSchema` is its contract. */
const reportSchemaVersion = 1;

const flakyShape = list(
  record({
    id: text,
    status: oneOf(["passed", "failed", "errored"]),
    passes: count,
    counted: count,
    required: count,
    runs: count,
  }),
);

const quarantineShape = list(
  record({
    suite: text,
    test: text,
    reason: text,
    cases: count,
    failed: count,
    errored: count,
    passesAgain: described("Every case passed in every trial: allow_failure can go", flag),
  }),
);

const { suiteSummaries, warnings, ...head } = runFields.always;

/** The JSON report: the run, and what is found out about it when it is reported. */
export const reportShape = record(
  {
    schemaVersion: derived(literal(reportSchemaVersion), () => reportSchemaVersion),
    ...head,
    suiteSummaries,
    flaky: derived(
      described("Cases some of whose trials passed and some did not", flakyShape),
      ({ suites }: RunResult, view) => flakyShape.report(flakyCases(suites), view),
    ),
    quarantine: derived(
      described("Tests with allow_failure that ran", quarantineShape),
      ({ suites }: RunResult, view) => quarantineShape.report(quarantinedTests(suites), view),
    ),
    warnings,
    suites: supplied(list(suiteShape)),
  },
  {
    ...runFields.sometimes,
    models: supplied(described("Models and prompts side by side; absent if there is only one", modelComparisonShape)),
  },
);
