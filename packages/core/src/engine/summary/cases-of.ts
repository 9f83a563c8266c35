/** The cases of all suites, without a list of them: they may be very many, and made when they are asked for. */
export function* casesOf<T>(suites: Iterable<{ tests: readonly T[] }>): Generator<T> {
  for (const { tests } of suites) yield* tests;
}

/** The same of their ids. */
export function* idsOf(suites: Iterable<{ tests: readonly { id: string }[] }>): Generator<string> {
  for (const { id } of casesOf(suites)) yield id;
}
