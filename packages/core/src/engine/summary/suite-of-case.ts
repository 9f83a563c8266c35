/** The suite that the id of a case begins with; null when it is none of these. Names may hold slashes. */
export function suiteOfCase(caseId: string, suites: readonly string[]): string | null {
  let longest: string | null = null;
  for (const suite of suites) {
    if (caseId.startsWith(`${suite}/`) && suite.length >= (longest?.length ?? 0)) longest = suite;
  }
  return longest;
}
