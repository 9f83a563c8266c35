import type * as z from "zod";
import type { Setting, SettingLevel } from "./define-setting.js";
import type { Fields } from "./field-parts.js";
import { testSettings } from "./test-settings.js";

type One = (typeof testSettings)[number];

/** What the settings of a test come to. */
export type ResolvedSettings = Together<ReturnType<One["merge"]>>;

type Together<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;

/** The keys of a schema for the settings that may be written at a level. */
type SettingKeys<Level extends SettingLevel> = {
  [Key in One as Level extends Key["levels"][number] ? Key["key"] : never]: z.ZodOptional<Key["schema"]>;
};

const settings: readonly Setting<string, SettingLevel, unknown, object>[] = testSettings;

export function settingKeys<Level extends SettingLevel>(level: Level): SettingKeys<Level> {
  const here = settings.filter(({ levels }) => levels.includes(level));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- fromEntries forgets which key has which schema
  return Object.fromEntries(here.map(({ key, schema }) => [key, schema.optional()])) as unknown as SettingKeys<Level>;
}

/** What is written at each level. */
type WrittenLevels = { readonly [Level in SettingLevel]?: Readonly<Record<string, unknown>> | undefined };

/** The settings of a test. */
export function resolveSettings(written: WrittenLevels): ResolvedSettings {
  const resolved = {};
  for (const { key, levels, merge } of settings) {
    const values: unknown[] = [];
    for (const level of levels) {
      const value = written[level]?.[key];
      if (value !== undefined) values.push(value);
    }
    Object.assign(resolved, merge(values));
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each setting has merged its own fields
  return resolved as ResolvedSettings;
}

/** What each field of the settings can change. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each setting has its own fields
export const settingFields = Object.assign({}, ...settings.map(({ identity }) => identity)) as Fields<ResolvedSettings>;
