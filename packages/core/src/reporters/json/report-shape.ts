import { runFields, type RunResult } from "../../engine/run-result.js";
import { modelComparisonShape } from "../../engine/summary/compare-models.js";
import { suiteShape } from "../../engine/suite-result.js";
import { described, list } from "../../shape/compound.js";
import { derived, supplied } from "../../shape/field.js";
import { record } from "../../shape/record.js";
import { count, flag, literal, oneOf, text } from "../../shape/scalars.js";
import { flakyCases, quarantinedTests } from "../flaky-tests.js";
import { assertionSchema } from "../../assertions/assertion-result.js";
import { caseDefinitions } from "../../engine/case-result.js";
import { errorSchema } from "../../errors/error-shape.js";
import type { JsonObject } from "../../values/json.js";
import { toolCallSchema } from "../../transcript/trial.js";
import { messageSchema } from "../../transcript/message.js";
import type { AnyShape, Volatility } from "../../shape/shape.js";

/** The version of the report's shape; `runResultJsonSchema` is its contract. */
const reportSchemaVersion = 2;

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
  record(
    {
      suite: text,
      test: text,
      reason: text,
      cases: count,
      failed: count,
      errored: count,
      passesAgain: described("Every case passed in every trial: allow_failure can go", flag),
    },
    { arm: text },
  ),
);

const selectionShape = record({ shown: count, of: count });

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
    selection: derived(
      described(
        "Set if suites has only selected cases; summary, gates and verdict are of the whole run",
        selectionShape,
      ),
      ({ selection }: RunResult, view) =>
        selection === undefined ? undefined : selectionShape.report(selection, view),
    ),
    models: supplied(described("Models and prompts side by side; absent if there is only one", modelComparisonShape)),
  },
);

/** The shape of the JSON report: its contract. Keys may be added within a schema version, never changed or removed. */
export function runResultJsonSchema(): JsonObject {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    $id: "https://kindlm.com/schemas/run-result.schema.json",
    title: "KindLM run result",
    ...reportShape.schema(),
    definitions: {
      error: errorSchema(),
      ranTest: caseDefinitions.ranTest(),
      skippedTest: caseDefinitions.skippedTest(),
      trial: caseDefinitions.trial(),
      assertion: assertionSchema(),
      message: messageSchema(),
      toolCall: toolCallSchema(),
    },
  };
}

/** The list of `generated/volatile-report-fields.ts`. To find it takes a fifteenth of the start of a small run. */
export function volatileFieldsOf(shape: AnyShape, above: readonly string[] = []): readonly string[] {
  return shape.parts().flatMap(({ key, shape: part, volatility }) => {
    const below = key === "" ? above : [...above, key];
    return volatility === null ? volatileFieldsOf(part, below) : namesOf(key, above, volatility);
  });
}

function namesOf(key: string, above: readonly string[], volatility: Volatility): readonly string[] {
  switch (volatility.at) {
    case "here":
      return [[...above, key].join(".")];
    case "anywhere":
      return [["**", ...(volatility.under === undefined ? [] : [volatility.under]), key].join(".")];
    case "named":
      return volatility.names.map((name) => [...above, name, key].join("."));
  }
}
