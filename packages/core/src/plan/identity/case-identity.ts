import type { AgentParts } from "./agent-parts.js";
import { hashText } from "./content-hash.js";
import type { PlannedCase } from "../run-plan.js";

/** What could change the result of a case, apart from its name: hashes of 16 hexadecimal digits. */
export interface CaseIdentity {
  /** What is tested: prompt, model, parameters, tool definitions, target. */
  agentHash: string;
  /** Everything else that can change the conversation: input, row, answers of the tools, faults, simulated user. */
  setupHash: string;
  /** What judges a finished conversation: assertions and threshold. */
  scoringHash: string;
  /** The share of trials that must pass. */
  passHash: string;
  /**
   * Of the files that `watch` selects, if a program is tested or called. It is in no hash above: only watch mode looks at
   * it.
   */
  codeHash?: string;
}

/** Of cases whose results are never compared with others. */
export const unidentified: CaseIdentity = { agentHash: "", setupHash: "", scoringHash: "", passHash: "" };

/** Returns what could change the result of a case. Takes a few microseconds, most of them once per test and model. */
export type IdentifyCase = (planned: PlannedCase) => CaseIdentity;

/** Returns the identities of the cases of a run, and afterwards the parts of their agents. */
export interface Identifier extends IdentifyCase {
  /** Null for an agent of which no case was seen. */
  agentOf(agentHash: string): AgentParts | null;
}

/** Of setup, scoring and the share of trials that must pass: only results of equal checks can be compared. */
export function checkHashOf({ setupHash, scoringHash, passHash }: CaseIdentity): string {
  return hashText(`${setupHash} ${scoringHash} ${passHash}`);
}
