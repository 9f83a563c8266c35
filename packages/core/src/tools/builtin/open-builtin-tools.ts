import type { BuiltinToolConfig, OpenTool } from "../tool-config.js";
import type { BuiltinSession } from "./builtin-session.js";
import { findBuiltin } from "./registry.js";

/** The built-in tools of an entry. All entries of a trial share one session. */
export function openBuiltinTools(
  { names, overrides }: BuiltinToolConfig,
  session: BuiltinSession,
): readonly OpenTool[] {
  return names.flatMap((name): OpenTool[] => {
    const tool = findBuiltin(name);
    if (tool === undefined) return [];
    const { parameters, attributes } = tool;
    const description = tool.description + (tool.describe?.(session.ports) ?? "");
    return [
      {
        kind: "open",
        name,
        description,
        parameters,
        attributes,
        recommendations: {},
        timeoutMs: tool.isUntimed === true ? Number.POSITIVE_INFINITY : null,
        isOfTrial: true,
        ...overrides,
        createHandler: () => ({ execute: (args, context) => tool.run(args, session, context) }),
      },
    ];
  });
}
