import { assertionSchema } from "../../assertions/assertion-result.js";
import { caseDefinitions } from "../../engine/case-result.js";
import { errorSchema } from "../../errors/error-shape.js";
import type { JsonObject } from "../../values/json.js";
import { reportShape } from "./report-shape.js";

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
    },
  };
}
