import type { JsonValue } from "../values/json.js";

/** Something that a tool told while it ran, beside its result. */
export interface ToolEvent {
  name: string;
  /** Null when the tool gave none. */
  data: JsonValue;
}
