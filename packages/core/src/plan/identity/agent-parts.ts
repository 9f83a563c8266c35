import { mapOf } from "../../shape/compound.js";
import { word } from "../../shape/scalars.js";
import type { Static } from "../../shape/shape.js";

/** Hashes of the parts of an agent, by the names that people know them by: `prompt`, `model`, `params`, `tools` … */
export const agentPartsShape = mapOf(word);
export type AgentParts = Static<typeof agentPartsShape>;
