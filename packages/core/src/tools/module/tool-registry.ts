import type { JsonObject } from "../../values/json.js";
import type { ToolContext, WrittenAttributes } from "./define-tool.js";

/** A tool in the classic interface of the KODE SDK. What `defineTool` returns is one, too. */
export interface ClassicTool {
  name: string;
  description?: string;
  /** How to use it: follows the description as the model reads it. */
  prompt?: string;
  /** JSON Schema of the arguments. */
  input_schema: JsonObject;
  attributes?: WrittenAttributes;
  /** Read where there are no attributes: `metadata` may have them. */
  toDescriptor?(): { readonly [key: string]: unknown; metadata?: WrittenAttributes };
  /** Takes arguments that are valid by the schema. */
  exec(args: never, ctx: ToolContext): unknown;
}

/** Tools by the names under which they are registered; `module: ./tools.ts#registry` takes them all. */
export class ToolRegistry {
  readonly #factories = new Map<string, () => ClassicTool>();

  /** A second tool under the same name replaces the first. */
  register(id: string, factory: () => ClassicTool): void {
    this.#factories.set(id, factory);
  }

  has(id: string): boolean {
    return this.#factories.has(id);
  }

  /** Undefined for a name that is not registered. */
  create(id: string): ClassicTool | undefined {
    return this.#factories.get(id)?.();
  }

  list(): string[] {
    return [...this.#factories.keys()];
  }
}
