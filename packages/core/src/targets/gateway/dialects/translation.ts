import type { GatewayChange } from "../../../errors/gateway-change.js";
import type { AgentRequest } from "../agent-request.js";

/** A request in no provider's format, and what was lost on the way there. */
export interface Translation {
  request: AgentRequest;
  changes: readonly GatewayChange[];
}

/** Why a request has no translation. */
export type TranslationProblem =
  /** It is not one that the API takes. */
  | { kind: "invalid"; status: number; message: string }
  /** Parts of it that KindLM cannot carry over. */
  | { kind: "refused"; changes: readonly GatewayChange[] };
