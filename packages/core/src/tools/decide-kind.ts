import type * as z from "zod";
import { commandToolKeys } from "./command/command-tool-schema.js";
import { httpToolKeys } from "./http/http-tool-schema.js";
import type { ToolConfig } from "./tool-config.js";

type Kind = ToolConfig["kind"];

/** The keys that stand for one kind each; the first makes a tool that kind, the others go with it. */
const keysByKind: Readonly<Record<Kind, readonly string[]>> = {
  module: ["module"],
  command: Object.keys(commandToolKeys),
  http: Object.keys(httpToolKeys),
  simulated: ["responses", "default"],
};

const nouns: Readonly<Record<Kind, string>> = {
  module: "a tool of a module",
  command: "a command",
  http: "an HTTP service",
  simulated: "a simulated tool",
};

const kinds: readonly Kind[] = ["module", "command", "http", "simulated"];

/** The kind of tool that the keys of an entry make; null where they contradict one another, which is reported. */
export function decideKind(written: Readonly<Record<string, unknown>>, context: z.RefinementCtx): Kind | null {
  const has = (key: string | undefined): boolean => key !== undefined && written[key] !== undefined;
  const marked = kinds.filter((kind) => (kind === "simulated" ? keysByKind[kind].some(has) : has(keysByKind[kind][0])));
  const kind = marked[0] ?? "simulated";
  let isValid = true;
  for (const other of kinds) {
    if (other === kind) continue;
    for (const key of keysByKind[other].filter(has)) {
      isValid = false;
      context.addIssue({
        code: "custom",
        message: describe(kind, other, key, marked),
        path: [key],
        params: { atKey: true },
      });
    }
  }
  return isValid ? kind : null;
}

function describe(kind: Kind, other: Kind, key: string, marked: readonly Kind[]): string {
  const mark = marked.length === 0 ? undefined : keysByKind[kind][0];
  if (mark === undefined) {
    return `"${key}" belongs to ${nouns[other]}, which needs "${keysByKind[other][0] ?? ""}"\nAdd it, or remove "${key}"`;
  }
  return `"${key}" belongs to ${nouns[other]}, but "${mark}" makes this ${nouns[kind]}\nKeep the keys of one kind, or write two tools`;
}
