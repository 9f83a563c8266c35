import type { JsonValue } from "../values/json.js";

/** Something that a tool reported while it ran, in addition to its result. */
export interface ToolEvent {
  name: string;
  /** Null when the tool gave none. */
  data: JsonValue;
}
