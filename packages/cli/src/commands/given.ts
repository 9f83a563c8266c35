/** The options that were given. Core distinguishes an omitted option from an undefined one. */
export function given<T extends object>(options: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- entries of an object have lost their types
  return Object.fromEntries(entries) as { [Name in keyof T]?: Exclude<T[Name], undefined> };
}
