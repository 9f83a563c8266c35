import type { Changes } from "./identity-project.js";

/** The key of the config, what is changed, and the hashes that are others then. */
export type Row = readonly [key: string, changes: Changes, changed: string];

export const setup = "setup check";
export const scoring = "scoring check";

/** Changes below one place of the config. */
export const at = (place: string, changes: Changes): Changes =>
  Object.fromEntries(Object.entries(changes).map(([key, value]) => [`${place}.${key}`, value]));
