import type { Result } from "../result.js";
import type { JsonObject } from "../values/json.js";
import type { ToolAttributes } from "./tool-runtime.js";

/** A tool as its source describes it. */
export interface ListedTool {
  name: string;
  description?: string;
  /** Instructions that follow the description. */
  prompt?: string;
  /** JSON Schema of the arguments. */
  parameters: JsonObject;
  attributes: ToolAttributes;
  /** JSON Schema of the result, where its source promises one. */
  output?: JsonObject;
}

/** Keeps what sources outside of KindLM say of their tools. A source has a name such as `mcp orders`. */
export interface ToolLists {
  /** What the source said; null where it has to be asked. Fails where it must not be asked and nothing is known. */
  recall(source: string): Promise<Result<readonly ListedTool[] | null>>;
  keep(source: string, tools: readonly ListedTool[]): void;
}
