/** Kept equal to package.json by `pnpm gen`; a separate file, so `--version` reads nothing else. */
export const version = "0.2.0";
