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
  readonly #loaders = new Map<string, () => Promise<readonly ClassicTool[]>>();
  #loading: Promise<readonly ClassicTool[]> | null = null;

  /** A second tool under the same name replaces the first. */
  register(id: string, factory: () => ClassicTool): void {
    this.#factories.set(id, factory);
  }

  /** Tools of an MCP server that your own client connects to. A second loader under the same name replaces the first. */
  registerMCPLoader(id: string, loader: () => Promise<readonly ClassicTool[]>): void {
    this.#loaders.set(id, loader);
  }

  /** What the loaders give; each is called once. Rejects if one of them does. */
  loadMCPTools(): Promise<readonly ClassicTool[]> {
    this.#loading ??= Promise.all([...this.#loaders.values()].map((load) => load())).then((lists) => lists.flat());
    return this.#loading;
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
