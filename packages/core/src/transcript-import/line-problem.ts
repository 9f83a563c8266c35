/** What keeps a line from being used, one line without a full stop. */
export interface LineProblem {
  message: string;
  hint?: string;
}
