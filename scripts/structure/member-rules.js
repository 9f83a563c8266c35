const core = "^packages/core/src/";

/** Folders inside a family that its members share; every other folder of the family is a member. */
export const sharedFolders = {
  gates: [],
  assertions: ["text", "limits", "similarity", "tool-expectations", "judging", "refusal"],
  providers: ["chat-completions", "http", "openai-apis", "pricing"],
  reporters: [],
  targets: ["gateway", "model", "program", "traces"],
  tools: [],
};

/** Rules of .dependency-cruiser.mjs for the families of core. */
export const memberRules = Object.entries(sharedFolders).map(([family, shared]) => ({
  name: `members-apart-${family}`,
  comment: `A member of ${family} can be added or taken away alone, so members do not import one another.`,
  severity: "error",
  from: { path: `${core}${family}/([^/]+)/` },
  to: { path: `${core}${family}/[^/]+/`, pathNot: [`${core}${family}/(${["$1", ...shared].join("|")})/`] },
}));
