import type { JsonValue } from "../values/json.js";
import type { MatcherNode } from "./matcher-node.js";

/** What an operator may ask of the parser while its operand is compiled. Problems never stop the parsing. */
export interface OperandParser {
  /** A matcher at `steps` below the operand. */
  matcher(raw: unknown, ...steps: readonly (string | number)[]): MatcherNode;
  /** The operand as a list of matchers, at least one. */
  matchers(raw: unknown): readonly MatcherNode[];
  /** As {@link matcher}, with objects that take no further keys. */
  closed(raw: unknown): MatcherNode;
  /** Data, in which nothing is an operator; objects take no further keys. */
  literal(raw: unknown): MatcherNode;
  /** The value of another key of the same object that belongs to this operator; undefined when it is not written. */
  modifier(name: string): unknown;
  /** Notes what is wrong with the operand, or with a modifier when one is named. */
  problem(message: string, options?: { modifier?: string; hint?: string }): MatcherNode;
}

/** An operator or a modifier in words. */
export interface OperatorWords {
  /** What it matches, as a sentence for editors and the reference. */
  summary: string;
  /** An operand that is valid as it stands. */
  example: JsonValue;
}

/** A member of the operator family. */
export interface MatcherOperator extends OperatorWords {
  /** Whether the operand holds matchers. */
  takesMatcher?: true;
  /** Further keys that are allowed next to the operator, and only there. */
  modifiers?: Readonly<Record<string, OperatorWords>>;
  compile(operand: unknown, parser: OperandParser): MatcherNode;
}
