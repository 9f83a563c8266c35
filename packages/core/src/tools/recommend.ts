import type { ToolErrorType } from "../transcript/tool-failure.js";
import { matchesNameGlob } from "../values/name-glob.js";
import type { RecommendationRules, ToolSettings } from "./tool-config.js";

const builtin: Readonly<Record<ToolErrorType, readonly string[]>> = {
  validation: [
    "Check the arguments against the tool's parameters",
    "Give every required parameter",
    "Give each parameter the type it asks for",
  ],
  runtime: ["Check that what the call refers to exists and may be used", "Try again once; the cause may have passed"],
  logical: ["Read the message and change the call or the approach", "Check the current state before trying again"],
  aborted: ["Do not repeat the call as it is", "Ask for less in one call"],
  exception: ["Try again once", "Go on without this tool if it fails again"],
};

/** Advice for the model after an error: the tool's own, else the first rule of the config that fits, else none. */
export function recommend(
  tool: ToolSettings | undefined,
  name: string,
  errorType: ToolErrorType,
  rules: RecommendationRules | null,
): readonly string[] {
  const own = tool?.recommendations[errorType];
  if (own !== undefined) return own;
  if (rules === null) return [];
  if (rules === "builtin") return builtin[errorType];
  const rule = rules.find(
    (candidate) =>
      matchesNameGlob(candidate.tool, name) &&
      (candidate.error_type === undefined || candidate.error_type === errorType),
  );
  return rule?.recommendations ?? [];
}
