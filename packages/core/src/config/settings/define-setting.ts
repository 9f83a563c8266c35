import type * as z from "zod";
import type { Fields } from "./field-parts.js";

/** Where a setting of tests may be written; `config` is the top level of the file. */
export type SettingLevel = "test" | "suite" | "defaults" | "config";

/** All that KindLM must know of a setting of tests but what it does. */
export interface Setting<Key extends string, Level extends SettingLevel, Written, Resolved extends object> {
  /** As in the config. */
  key: Key;
  /** From near to far. */
  levels: readonly Level[];
  schema: z.ZodType<Written>;
  /** What a test gets of it. `written` has the value of each level that sets it, the nearest first. */
  merge(written: readonly Written[]): Resolved;
  /** What each of these fields can change. */
  identity: Fields<Resolved>;
}

export function defineSetting<
  const Key extends string,
  const Level extends SettingLevel,
  Written,
  Resolved extends object,
>(setting: Setting<Key, Level, Written, Resolved>): Setting<Key, Level, Written, Resolved> {
  return setting;
}
