/** Why a written value breaks its schema. */
export interface SchemaProblem {
  /** Into the value; ends at the key itself for a key that is unknown or missing. */
  path: readonly (string | number)[];
  /** One line without a full stop. */
  message: string;
  hint?: string;
  /** The key is to be marked rather than its value: it is unknown. */
  atKey?: boolean;
}

/** Where a schema takes problems. Zod's context is one; its types stay out of what is published. */
interface ProblemContext {
  addIssue(issue: { code: "custom"; path: (string | number)[]; message: string; params?: { atKey: true } }): void;
}

/** Hands problems to the schema that is being read. */
export function reportTo(context: ProblemContext, problems: readonly SchemaProblem[]): void {
  for (const { path, message, hint, atKey } of problems) {
    context.addIssue({
      code: "custom",
      path: [...path],
      message: hint === undefined ? message : `${message}\n${hint}`,
      ...(atKey === true ? { params: { atKey: true } } : {}),
    });
  }
}
