import { recommendationsSchema, toolErrorsSchema } from "../../tools/recommendations-schema.js";
import {
  approvalsSchema,
  permissionsSchema,
  type Approval,
  type Permissions,
} from "../../tools/permissions/permission-schema.js";
import type { RecommendationRules, ToolErrorStyle } from "../../tools/tool-config.js";
import type { SprtLimits } from "../../statistics/decide-sprt.js";
import type { TodoSettings } from "../../tools/builtin/todo/todo-reminders.js";
import { todosSchema } from "../../tools/builtin/todo/todos-schema.js";
import * as z from "../../values/deferred-zod.js";
import { varsSchema } from "../schema/settings-schema.js";
import { earlyEndSchema } from "./early-end-schema.js";
import { ignored, ofScoring, ofSetup, type Fields } from "./field-parts.js";

/**
 * The settings of tests that need nothing but their own values. What looks at other settings, at files, or at the place
 * where it is written is resolved by itself, in `config/suite`.
 */
export const testSettings = [
  defineSetting({
    key: "tags",
    levels: ["test", "suite"],
    schema: z
      .array(z.string().min(1))
      .describe("Labels to choose tests by, with --tag; those of the suite and of the test add up")
      .meta({ examples: [["smoke"]] }),
    merge: (all) => ({ tags: [...new Set(all.toReversed().flat())] }),
    identity: { tags: ignored },
  }),
  defineSetting({
    key: "skip",
    levels: ["test", "suite"],
    schema: z
      .union([z.boolean(), z.string().min(1)])
      .transform((written) => (written === true ? "skip: true" : written === false ? null : written))
      .describe("Not run, and counted as skipped: true, or the reason")
      .meta({ examples: [true, "waiting for the new API"] }),
    // A test may take back what its suite says.
    merge: ([nearest = null]) => ({ skip: nearest }),
    identity: { skip: ignored },
  }),
  defineSetting({
    key: "vars",
    levels: ["test", "suite", "config"],
    schema: varsSchema,
    merge: (all) => ({ vars: Object.fromEntries(all.toReversed().flatMap((vars) => Object.entries(vars))) }),
    identity: { vars: ofSetup },
  }),
  defineSetting({
    key: "early_end",
    levels: ["test", "suite", "defaults"],
    schema: earlyEndSchema,
    merge: ([nearest = false]): { endsEarly?: true; sprt?: SprtLimits } => ({
      ...(nearest === false ? {} : { endsEarly: true }),
      ...(typeof nearest === "boolean" ? {} : { sprt: nearest.sprt }),
    }),
    // Ending when the verdict is certain leaves it as it is; the sequential test may decide otherwise than all trials.
    identity: { endsEarly: ignored, sprt: { pass: (limits) => limits } },
  }),
  defineSetting({
    key: "tool_errors",
    levels: ["test", "suite"],
    schema: toolErrorsSchema,
    merge: ([nearest = "envelope"]): { toolErrors: ToolErrorStyle } => ({ toolErrors: nearest }),
    identity: { toolErrors: ofSetup },
  }),
  defineSetting({
    key: "recommendations",
    levels: ["test", "suite"],
    schema: recommendationsSchema,
    merge: ([nearest]): { recommendations: RecommendationRules | null } => ({ recommendations: nearest ?? null }),
    identity: { recommendations: ofSetup },
  }),
  defineSetting({
    key: "permissions",
    levels: ["test", "suite"],
    schema: permissionsSchema,
    merge: ([nearest]): { permissions?: Permissions } => (nearest === undefined ? {} : { permissions: nearest }),
    identity: { permissions: ofSetup },
  }),
  defineSetting({
    key: "approvals",
    levels: ["test", "suite"],
    schema: approvalsSchema,
    merge: ([nearest]): { approvals?: readonly Approval[] } => (nearest === undefined ? {} : { approvals: nearest }),
    identity: { approvals: ofSetup },
  }),
  defineSetting({
    key: "todos",
    levels: ["test", "suite"],
    schema: todosSchema,
    merge: ([nearest]): { todos?: TodoSettings } => (nearest === undefined ? {} : { todos: nearest }),
    identity: { todos: ofSetup },
  }),
  defineSetting({
    key: "guardrail",
    levels: ["test", "suite"],
    schema: z
      .boolean()
      .describe("A do-nothing agent may pass: the test says what must not happen. kindlm test --vacuity expects it"),
    merge: ([nearest = false]) => ({ guardrail: nearest }),
    identity: { guardrail: ignored },
  }),
  defineSetting({
    key: "threshold",
    levels: ["test"],
    schema: z
      .number()
      .min(0)
      .max(1)
      .describe("The weighted mean score that a trial must reach, instead of every assertion passing")
      .meta({ examples: [0.8] }),
    merge: ([own = null]) => ({ threshold: own }),
    identity: { threshold: ofScoring },
  }),
  defineSetting({
    key: "only",
    levels: ["test"],
    schema: z.boolean().describe("Run just the tests that say so; an error in CI"),
    merge: ([own = false]) => ({ only: own }),
    identity: { only: ignored },
  }),
  defineSetting({
    key: "allow_failure",
    levels: ["test"],
    schema: z
      .string()
      .min(1)
      .describe("Why a failure of this test is reported without counting")
      .meta({ examples: ["known bug 42"] }),
    merge: ([own = null]) => ({ allowFailure: own }),
    identity: { allowFailure: ignored },
  }),
  defineSetting({
    key: "critical",
    levels: ["test"],
    schema: z.boolean().describe("A failure fails the run, whatever the gates say"),
    merge: ([own = false]) => ({ critical: own }),
    identity: { critical: ignored },
  }),
  defineSetting({
    key: "group",
    levels: ["test"],
    schema: z.string().min(1).describe("The cluster that its cases belong to in statistics"),
    merge: ([own = null]) => ({ group: own }),
    identity: { group: ignored },
  }),
] as const;

const settings: readonly Setting<string, SettingLevel, unknown, object>[] = testSettings;

/** What each field of the settings can change. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each setting has its own fields
export const settingFields = Object.assign({}, ...settings.map(({ identity }) => identity)) as Fields<ResolvedSettings>;

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

function defineSetting<const Key extends string, const Level extends SettingLevel, Written, Resolved extends object>(
  setting: Setting<Key, Level, Written, Resolved>,
): Setting<Key, Level, Written, Resolved> {
  return setting;
}

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
