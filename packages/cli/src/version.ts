/** Kept equal to package.json by `pnpm gen`; a file of its own, so that `--version` reads nothing else. */
export const version = "0.1.0";
