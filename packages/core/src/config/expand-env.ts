import { isRecord } from "../values/json.js";
import type { Env } from "./load-env-files.js";
import { report, type Section } from "./source/section.js";
import type { Path } from "./source/written.js";

export interface ExpandedEnv<T> {
  value: T;
  /** The variables that were read, and where. */
  read: readonly { name: string; path: Path }[];
  missing: readonly { name: string; path: Path }[];
}

/** Replaces `${NAME}` in every string of a value by the environment variable, as `write` writes it. */
export function expandEnv<T>(value: T, env: Env, write: (text: string) => string = (text) => text): ExpandedEnv<T> {
  const read: { name: string; path: Path }[] = [];
  const visit = (node: unknown, path: Path): unknown => {
    if (typeof node === "string") {
      return node.replaceAll(/\$\{([A-Za-z_]\w*)\}/g, (_written, name: string) => {
        read.push({ name, path });
        return write(env[name] ?? "");
      });
    }
    if (Array.isArray(node)) return node.map((item, index) => visit(item, [...path, index]));
    if (!isRecord(node)) return node;
    return Object.fromEntries(Object.entries(node).map(([key, item]) => [key, visit(item, [...path, key])]));
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only strings in it have changed
  const expanded = visit(value, []) as T;
  return { value: expanded, read, missing: read.filter(({ name }) => env[name] === undefined) };
}

/** Reports the environment variables that settings name and that are not there. */
export function reportMissing(section: Section, at: Path, { missing }: Pick<ExpandedEnv<unknown>, "missing">): void {
  for (const { name, path: inner } of missing) {
    report(section, {
      path: [...at, ...inner],
      message: `The environment variable ${name} is not set`,
      hint: "Set it in the environment or in a .env file next to the config",
    });
  }
}
