import { moduleAction } from "../../modules/module-action.js";
import type { JsonValue } from "../../values/json.js";
import type { ListedTool } from "../tool-lists.js";

/** Which of the tools of an export are meant: the one of this name, or all; a function has the name given here. */
export interface PickedTools {
  name: string | null;
}

export interface ToolCallInput extends PickedTools {
  /** Name of the tool that is called. */
  tool: string;
  args: unknown;
  /** Path of the folder of the trial. */
  workspace: string | null;
}

/** Says what the tools of an export are. */
export const listToolsAction = moduleAction<PickedTools, readonly ListedTool[]>("list tools");

/** Runs one call of a tool. What it emits is notified as {@link EmittedEvent}. */
export const runToolAction = moduleAction<ToolCallInput, JsonValue>("run tool");

export interface EmittedEvent {
  name: string;
  data: JsonValue;
  /** Milliseconds since the epoch, if the tool said when. */
  at?: number;
}
