import type { PromptVariant, ResolvedTest } from "../../config/resolved-config.js";
import { isRecord } from "../../values/json.js";
import type { PlannedCase } from "../run-plan.js";
import type { AgentParts } from "./agent-parts.js";
import { hashValue } from "./content-hash.js";
import { partOf, type Fields } from "../../config/settings/field-parts.js";
import type { ModelIdentity } from "./model-identity.js";

/** Makes the function that returns the parts of the agent of a case. Each field that counts for it is in one part. */
export function createAgentParts(
  models: ModelIdentity,
  testFields: Fields<ResolvedTest>,
  promptFields: Fields<PromptVariant>,
): (planned: PlannedCase) => AgentParts {
  return ({ model, prompt, params, fallbacks, test }) => {
    const { tools, mcpServers, ...others } = partOf(test, testFields, "agent");
    const { asked, documents } = model === null ? {} : models.partsOf(model);
    const parts: Readonly<Record<string, unknown>> = {
      prompt: partOf(prompt, promptFields, "agent")["system"],
      model: asked,
      script: isRecord(documents) && Object.keys(documents).length > 0 ? documents : null,
      params,
      tools: test.tools.length + test.mcpServers.length === 0 ? null : [tools, mcpServers],
      fallback: fallbacks.length === 0 ? null : fallbacks.map(models.ofPlanned),
      ...others,
    };
    const there = Object.entries(parts).filter(([, part]) => part !== null && part !== undefined);
    return Object.fromEntries(there.map(([name, part]) => [name, hashValue(part)]));
  };
}
