import * as z from "../../values/deferred-zod.js";
import { nameFaults } from "../../tools/faults/fault.js";
import { faultKinds } from "../../transcript/fired-fault.js";
import { isRecord } from "../../values/json.js";
import { datasetReference, inlineRows } from "../dataset/load-dataset.js";
import { mapInSequence } from "../map-in-sequence.js";
import type { BrokenSuite } from "../resolved-config.js";
import { datasetSchema } from "../schema/dataset-schema.js";
import type { Section } from "../source/section.js";
import type { SuiteScope } from "./suite-scope.js";

/** What the name of a fault is made of. */
const outlineSchema = z.object({ id: z.string().optional(), kind: z.enum(faultKinds), tool: z.string() });

/** The tests of a suite whose form is wrong, as far as they are known: their cases count as skipped. */
export async function outlineTests(section: Section, scope: SuiteScope): Promise<BrokenSuite["tests"]> {
  if (!isRecord(section.value) || !Array.isArray(section.value["tests"])) return [];
  const suite = section.value;
  const tests: readonly unknown[] = section.value["tests"];
  return mapInSequence(tests.filter(isRecord), async (test, index) => {
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
  const kind = ["command", "module"].find((key) => target[key] !== undefined) ?? "http";
  return [kind];
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
