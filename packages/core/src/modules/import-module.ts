/** Imports a module by its name or URL, seen from this package. */
export type ImportModule = (specifier: string) => Promise<unknown>;

/**
 * What it imports is a value: optional libraries, which no build and no check may ask for, and modules of users.
 *
 * It is a separate file of the bundle too. Code that V8 takes from a cache cannot call `import()`, so the command line
 * keeps no compiled code of a file with one.
 */
export const importModule: ImportModule = (specifier) => import(specifier);
