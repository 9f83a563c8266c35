import { inCode } from "./markdown.js";

/**
 * Objects of a config that come in kinds: a fault by its `kind`, a target and a tool by the key that only this kind has.
 * Each kind has a section by its name.
 */

/**
 * The heading of a fault or a target. Null for any other object.
 *
 * @param {Map<string, string>} targetKinds The kinds of targets by their keys.
 */
export function headingOfKind(path, { properties, required = [] }, targetKinds) {
  const kind = properties.kind?.const;
  if (path.endsWith("faults[]") && kind !== undefined) return `Fault: ${inCode(kind)}`;
  const target = path.endsWith("target") ? targetKinds.get(required[0]) : undefined;
  return target === undefined ? null : `Target: ${inCode(target)}`;
}

/** The kinds of a tool, from its keys that exclude each other: the keys of each kind, and those of all. */
export function splitTool({ properties, dependencies = {} }, targetKinds) {
  const excludedBy = (key) => Object.keys(dependencies[key]?.properties ?? {});
  const marks = Object.keys(dependencies).filter((key) => excludedBy(key).some((other) => other in dependencies));
  const owned = [...new Set(marks.flatMap(excludedBy))].filter((key) => !marks.includes(key));
  const pick = (keys) => Object.fromEntries(Object.entries(properties).filter(([key]) => keys.includes(key)));
  const kinds = marks.map((mark) => ({
    heading: `Tool: ${inCode(targetKinds.get(mark) ?? mark)}`,
    properties: pick([mark, ...owned.filter((key) => !excludedBy(mark).includes(key))]),
    required: [mark],
  }));
  const ofNone = owned.filter((key) => marks.every((mark) => excludedBy(mark).includes(key)));
  const simulated = { heading: "Tool: simulated", properties: pick(ofNone) };
  const shared = Object.keys(properties).filter((key) => !marks.includes(key) && !owned.includes(key));
  return { shared: pick(shared), kinds: [simulated, ...kinds] };
}
