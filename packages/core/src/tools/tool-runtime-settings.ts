import type { Clock } from "../values/clock.js";
import type { JsonObject } from "../values/json.js";
import type { Workspace } from "../workspace/workspace.js";
import type { Fault } from "./faults/fault.js";
import type { LastValues } from "./last-values.js";
import type { PermissionSettings } from "./permissions/permission-gate.js";
import type { RecommendationRules, RunnableTool, ToolErrorStyle } from "./tool-config.js";
import type { AnswerScope } from "./tool-handler.js";
import type { ToolHooks } from "./tool-hooks.js";

/** What the tools of one trial are opened with. */
export interface ToolRuntimeSettings {
  tools: readonly RunnableTool[];
  style: ToolErrorStyle;
  recommendations: RecommendationRules | null;
  /** Default deadline of a call, milliseconds. */
  timeoutMs: number;
  clock: Clock;
  scope: AnswerScope;
  /** What the state of the trial is at first; empty when left out. */
  state?: JsonObject | null;
  /** Failures to put in between, drawn from the seed. */
  faults?: { list: readonly Fault[]; seed: number } | null;
  /** The folder of the trial; null or absent if it has none. */
  workspace?: Pick<Workspace, "editFromOutside"> | null;
  /** What tools returned last in the run. */
  lastValues?: LastValues;
  /** Plugins that can change or block calls. */
  hooks?: ToolHooks | null;
  /** Which calls may run; null for all. */
  permissions?: PermissionSettings | null;
}
