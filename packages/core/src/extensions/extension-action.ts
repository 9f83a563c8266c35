import { moduleAction } from "../modules/module-action.js";
import type { JsonValue } from "../values/json.js";
import type { ProviderCall, ProviderCallContext, ProviderFault } from "./define-provider.js";

/** What an export of a module registers. Its content is what the module says: nothing of it has been checked. */
export interface FoundExtension {
  exportName: string;
  declared: Readonly<Record<string, unknown>>;
}

/** Lists what a module registers. */
export const listExtensionsAction = moduleAction<null, readonly FoundExtension[]>("list-extensions");

export interface CompleteInput {
  request: ProviderCall;
  context: Omit<ProviderCallContext, "signal">;
}

/** What a provider did: the answer as JSON, unread, or what it threw. */
export type CompleteOutcome = { answer: JsonValue } | { threw: string; fault: ProviderFault };

/** Makes a request of a registered provider. */
export const completeAction = moduleAction<CompleteInput, CompleteOutcome>("complete");
