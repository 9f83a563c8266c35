import { isRecord } from "../../values/json.js";
import { nearestName } from "../../values/nearest-name.js";
import { suiteSchema, type WrittenSuite } from "../schema/suite-schema.js";
import { errorOf, type Findings } from "../source/finding.js";
import type { Problem, Section } from "../source/section.js";
import * as z from "../../values/deferred-zod.js";
import { nameFaults } from "../../tools/faults/fault.js";
import { faultKinds } from "../../transcript/fired-fault.js";
import { datasetReference, inlineRows } from "../dataset/load-dataset.js";
import { mapInSequence } from "../map-in-sequence.js";
import type { BrokenSuite } from "../resolved-config.js";
import { datasetSchema } from "../schema/dataset-schema.js";
import type { SuiteScope } from "./suite-scope.js";

/** What the name of a fault is made of. */
const outlineSchema = z.object({ id: z.string().optional(), kind: z.enum(faultKinds), tool: z.string().optional() });

export function brokenSuite(
  name: string,
  file: string,
  findings: Findings,
  tests: BrokenSuite["tests"] = [],
): BrokenSuite {
  const { all } = findings;
  return {
    status: "broken",
    name,
    file,
    error: errorOf(all),
    diagnostics: all.map((finding) => finding.diagnostic),
    tests,
  };
}

/** What is well-formed of a suite that as a whole is not. */
export interface RecoveredSuite {
  suite: WrittenSuite;
  /** The position of each of its tests in the suite as written. */
  places: readonly number[];
}

/** Without these, other checks would report false mistakes, such as a missing tool. */
const neededKeys = {
  suite: "name tests tools mcp_servers agents skills models target vars assert runs pass".split(" "),
  test: "name input messages conversation retry_until simulated_user dataset rows mcp_servers models target vars assert runs pass".split(
    " ",
  ),
};

/**
 * Leaves out what is wrong in form, so that the rest can still be checked and all problems are reported together: a key that no
 * other check needs, else the whole test. Null where nothing of use is left.
 */
export function recoverSuite(value: unknown, problems: readonly Problem[]): RecoveredSuite | null {
  if (!isRecord(value) || !Array.isArray(value["tests"])) return null;
  const ofTests = problems.filter(({ path }) => path[0] === "tests" && typeof path[1] === "number");
  const rest = withoutKeys(
    value,
    problems.filter((problem) => !ofTests.includes(problem)).map((problem) => wrongKey(problem, 0)),
    neededKeys.suite,
  );
  if (rest === null) return null;
  const written: readonly unknown[] = value["tests"];
  const kept = written.flatMap((test, place) => {
    const wrong = ofTests.filter(({ path }) => path[1] === place).map((problem) => wrongKey(problem, 2));
    const recovered = isRecord(test) ? withoutKeys(test, wrong, neededKeys.test) : null;
    return recovered === null ? [] : [{ test: recovered, place }];
  });
  const parsed = suiteSchema.safeParse({ ...rest, tests: kept.map(({ test }) => test) });
  return parsed.success ? { suite: parsed.data, places: kept.map(({ place }) => place) } : null;
}

/** In place of what is wrong: other checks only ask whether it is there. */
const standIns: Readonly<Record<string, unknown>> = { workspace: {} };

interface WrongKey {
  key: string | number | undefined;
  isUnknown: boolean;
}

function wrongKey({ path, atKey }: Problem, depth: number): WrongKey {
  return { key: path[depth], isUnknown: atKey === true && path.length === depth + 1 };
}

/** Null when one of the keys is needed, or was meant to be one that is. */
function withoutKeys(
  value: Readonly<Record<string, unknown>>,
  wrong: readonly WrongKey[],
  needed: readonly string[],
): Readonly<Record<string, unknown>> | null {
  const missing = needed.filter((key) => !Object.hasOwn(value, key));
  const isNeeded = ({ key, isUnknown }: WrongKey): boolean =>
    typeof key !== "string" || (isUnknown ? nearestName(key, missing) !== null : needed.includes(key));
  if (wrong.some(isNeeded)) return null;
  const isMeant = (key: string, { key: written, isUnknown }: WrongKey): boolean =>
    key === written || (isUnknown && typeof written === "string" && nearestName(written, [key]) !== null);
  return Object.fromEntries([
    ...Object.entries(standIns).filter(([key]) => wrong.some((one) => isMeant(key, one))),
    ...Object.entries(value).filter(([key]) => !wrong.some((one) => one.key === key)),
  ]);
}

/** The tests of a suite whose form is wrong, as far as they are known: their cases count as skipped. */
export async function outlineTests(section: Section, scope: SuiteScope): Promise<BrokenSuite["tests"]> {
  if (!isRecord(section.value) || !Array.isArray(section.value["tests"])) return [];
  const suite = section.value;
  const tests: readonly unknown[] = section.value["tests"];
  const arms = armsOf(suite["arms"]);
  const outlined = await mapInSequence(tests.filter(isRecord), async (test, index) => {
    const { name } = test;
    return {
      name: typeof name === "string" && name.trim() !== "" ? name.trim() : `tests[${index}]`,
      models:
        programId(test["target"] ?? suite["target"]) ??
        textsOf(test["models"]) ??
        textsOf(suite["models"]) ??
        scope.defaultModels.ids,
      prompts: promptsOf(suite["prompts"]),
      faults: faultsOf(test["faults"] ?? suite["faults"]),
      rowKeys: await rowKeysOf(section, test, scope),
      tags: [...(textsOf(suite["tags"]) ?? []), ...(textsOf(test["tags"]) ?? [])],
    };
  });
  return outlined.flatMap((test) => arms.map((arm) => ({ ...test, arm })));
}

async function rowKeysOf(
  section: Section,
  test: Readonly<Record<string, unknown>>,
  scope: SuiteScope,
): Promise<readonly string[] | null> {
  const { dataset, rows } = test;
  const parsed = datasetSchema.safeParse(dataset);
  const loaded = parsed.success
    ? await scope.loadRows(datasetReference(section, parsed.data))
    : Array.isArray(rows)
      ? inlineRows(section, rows)
      : null;
  return loaded?.success === true ? loaded.data.rows.map((row) => row.key) : null;
}

/** What replaces the models of a test whose target calls none of the config; null for all others. */
function programId(target: unknown): readonly string[] | null {
  if (!isRecord(target) || target["proxy"] === true || isRecord(target["proxy"])) return null;
  if (typeof target["id"] === "string") return [target["id"].trim()];
  const kind = ["command", "module", "mcp"].find((key) => target[key] !== undefined) ?? "http";
  return [kind];
}

function armsOf(written: unknown): readonly (string | null)[] {
  const ids = Array.isArray(written) ? textsOf(written.filter(isRecord).map(({ id }) => id)) : null;
  return ids === null || ids.length === 0 ? [null] : ids;
}

function promptsOf(written: unknown): readonly (string | null)[] {
  if (!Array.isArray(written)) return [null];
  const ids = textsOf(written.filter(isRecord).map(({ id }) => id)) ?? [];
  return ids.length > 0 ? ids : [null];
}

function faultsOf(written: unknown): readonly (string | null)[] {
  if (!isRecord(written) || written["expand"] !== true || !Array.isArray(written["list"])) return [null];
  const parsed = written["list"].flatMap((fault: unknown) => {
    const outline = outlineSchema.safeParse(fault);
    return outline.success ? [outline.data] : [];
  });
  return [null, ...nameFaults(parsed)];
}

/** Each once. */
function textsOf(value: unknown): readonly string[] | null {
  if (!Array.isArray(value)) return null;
  return [...new Set(value.filter((item): item is string => typeof item === "string"))];
}
