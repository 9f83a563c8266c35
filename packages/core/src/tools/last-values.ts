import { canonicalJson } from "../values/canonical-json.js";

/** What tools returned last in a run, by tool and arguments. */
export interface LastValues {
  /** Undefined when the call never succeeded. */
  read(tool: object, name: string, args: unknown): { value: unknown } | undefined;
  keep(tool: object, name: string, args: unknown, value: unknown): void;
}

/** The most calls kept of one tool; the oldest go first, so that a long run does not fill the memory. */
const mostKept = 1_000;

/** `tool` in its methods is the entry of the config, which all trials of a run share. */
export function createLastValues(): LastValues {
  const byTool = new WeakMap<object, Map<string, { value: unknown }>>();
  const keyOf = (name: string, args: unknown): string => `${name}\n${canonicalJson(args ?? {})}`;
  return {
    read: (tool, name, args) => byTool.get(tool)?.get(keyOf(name, args)),
    keep(tool, name, args, value) {
      const kept = byTool.get(tool) ?? new Map<string, { value: unknown }>();
      byTool.set(tool, kept);
      const key = keyOf(name, args);
      // Taken away first, so that what was kept last stands last.
      kept.delete(key);
      kept.set(key, { value });
      const [oldest] = kept.keys();
      if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest);
    },
  };
}
