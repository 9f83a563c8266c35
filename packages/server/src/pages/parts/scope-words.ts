import type { Scope } from "../../auth/tokens.js";

/** What each scope allows, for people. */
export const scopeWords: Readonly<Record<Scope, string>> = {
  "runs:write": "Upload runs",
  "runs:read": "See runs and their history",
  "transcripts:read": "Read conversations that were uploaded",
  "baselines:write": "Set baselines",
  "project:admin": "Create and change projects",
  "org:admin": "Manage tokens, people and the audit log",
};
