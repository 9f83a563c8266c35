import type { Matcher } from "../matchers/matcher.js";
import type { AssertionDefinition, AssertionReference } from "./define-assertion.js";

interface CommonParts {
  /** Name for people: the type, or the kind of group. */
  type: string;
  id?: string;
  not: boolean;
  weight: number;
  /** Evaluated only if the trial, written in snake_case, matches. */
  when: Matcher | null;
  /** ID of the fault whose attack it looks for; a negated group. */
  goalOf?: string;
  /** Evaluated on this user turn (from 1) instead of the whole trial. */
  userTurn?: number;
  /** Evaluated on what this agent said and did instead of the whole trial. */
  agent?: string;
}

/** One assertion of a type of the registry, ready to be evaluated. */
export interface ParsedCheck extends CommonParts {
  form: "check";
  definition: AssertionDefinition;
  /** As `definition.options` parsed them, paths absolute. */
  options: unknown;
  references: readonly AssertionReference[];
}

/** `all_of`, `any_of` or `at_least: n`. */
export interface ParsedGroup extends CommonParts {
  form: "group";
  /** How many members must pass. */
  required: number;
  members: readonly ParsedAssertion[];
}

export type ParsedAssertion = ParsedCheck | ParsedGroup;

/** Why a written assertion is not valid. */
export interface AssertionProblem {
  /** Into the assertion as it is written. */
  path: readonly (string | number)[];
  message: string;
  hint?: string;
  /** True when the path names a key to be marked rather than its value. */
  atKey?: boolean;
}
