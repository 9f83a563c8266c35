import { gatewayChangeKinds } from "../errors/gateway-change.js";
import { described, list } from "../shape/compound.js";
import { record } from "../shape/record.js";
import { count, oneOf, text } from "../shape/scalars.js";
import type { Static } from "../shape/shape.js";

/** What the gateway did to the requests that an agent sent to its models. */
export const gatewayRecordShape = record({
  passed: described("Requests that were sent on in the agent's own format", count),
  translated: described("Requests that were translated for a model that has another format", count),
  changes: described(
    "What the model did not get as the agent sent it",
    list(
      record({
        path: described("Where it is in the request; [] is any place in a list", text),
        kind: oneOf(gatewayChangeKinds),
        reason: text,
        requests: described("In how many requests", count),
      }),
    ),
  ),
});
export type GatewayRecord = Static<typeof gatewayRecordShape>;
