/** What tells one case from all others. */
export interface CaseName {
  suite: string;
  test: string;
  row: string | null;
  model: string;
  prompt: string | null;
}

/** `suite/test[row]@model#prompt`; row and prompt only where they vary. */
export function renderCaseId({ suite, test, row, model, prompt }: CaseName): string {
  return `${suite}/${test}${row === null ? "" : `[${row}]`}@${model}${prompt === null ? "" : `#${prompt}`}`;
}
