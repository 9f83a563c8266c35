/** Hashes of the parts of an agent, by the names that people know them by: `prompt`, `model`, `params`, `tools` … */
export type AgentParts = Readonly<Record<string, string>>;
