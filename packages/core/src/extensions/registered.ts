import { noneRegistered, type RegisteredAssertions } from "../assertions/registered-assertions.js";
import type { ProviderDefinition } from "../providers/define-provider.js";
import type { TextFormat } from "../redaction/redactor.js";
import type * as z from "../values/deferred-zod.js";

/** An export of a module. `file` is absolute. */
export interface ExportPlace {
  file: string;
  exportName: string;
}

/** A kind of target; it runs as a target of `{ module: … }` does. */
export interface RegisteredTarget extends ExportPlace {
  /** The value of its key. */
  options: z.ZodType;
}

export interface RegisteredReporter extends ExportPlace {
  name: string;
  summary: string;
  extension: string;
  format: TextFormat;
}

/** What the modules of `extensions:` register, by the names that a config or a flag has for it. */
export interface Registered {
  assertions: RegisteredAssertions;
  providers: ReadonlyMap<string, ProviderDefinition>;
  targets: ReadonlyMap<string, RegisteredTarget>;
  reporters: ReadonlyMap<string, RegisteredReporter>;
}

export const nothingRegistered: Registered = {
  assertions: noneRegistered,
  providers: new Map(),
  targets: new Map(),
  reporters: new Map(),
};
