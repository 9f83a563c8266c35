import { isRecord } from "../../values/json.js";
import { nearestName } from "../../values/nearest-name.js";
import { nothingRegistered, type Registered } from "../../extensions/registered.js";
import { targetKeys } from "../../targets/registry.js";
import { parseSection, report, subsection, type Section } from "../source/section.js";

/**
 * The suite with each target of a registered kind in its plain form: `{ module, with }`. What is wrong with the options
 * is reported where they are written.
 */
export function withRegisteredTargets(section: Section): Section {
  const { targets } = section.registered ?? nothingRegistered;
  const { value } = section;
  if (targets.size === 0 || !isRecord(value)) return section;
  const suite = withTarget(section, value, targets);
  const written = value["tests"];
  if (!Array.isArray(written)) return { ...section, value: suite };
  const tests = written.map((test: unknown, index) =>
    isRecord(test) ? withTarget(subsection(section, ["tests", index], test), test, targets) : test,
  );
  return { ...section, value: { ...suite, tests } };
}

function withTarget(
  owner: Section,
  value: Record<string, unknown>,
  targets: Registered["targets"],
): Record<string, unknown> {
  const { target } = value;
  if (!isRecord(target) || targetKeys.some((key) => Object.hasOwn(target, key))) return value;
  const type = Object.keys(target).find((key) => targets.has(key));
  const found = type === undefined ? undefined : targets.get(type);
  if (type === undefined || found === undefined) return withMisspelled(owner, value, targets);
  const { [type]: options, ...rest } = target;
  const parsed = parseSection(subsection(owner, ["target", type], options ?? {}), found.options);
  const given = parsed.success ? parsed.data : undefined;
  return { ...value, target: { id: type, ...rest, module: `${found.file}#${found.exportName}`, with: given } };
}

/** The schema knows the built-in kinds only, so what it would say of a kind that is nearly a registered one is left out. */
function withMisspelled(
  owner: Section,
  value: Record<string, unknown>,
  targets: Registered["targets"],
): Record<string, unknown> {
  for (const key of Object.keys(isRecord(value["target"]) ? value["target"] : {})) {
    const meant = nearestName(key, [...targetKeys, ...targets.keys()]);
    const found = meant === null ? undefined : targets.get(meant);
    if (found === undefined) continue;
    const hint = `Did you mean "${meant}"?`;
    report(owner, { path: ["target", key], atKey: true, message: `Unknown key "${key}"`, hint });
    return { ...value, target: { module: `${found.file}#${found.exportName}` } };
  }
  return value;
}
