import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { ProgressNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import type { HandlerContext } from "../tool-handler.js";

/**
 * Makes the progress of requests events of their calls. The SDK has its own listeners, but it forgets them before it hands
 * on a last notification that arrives together with the answer.
 */
export class ProgressListeners {
  readonly #byToken = new Map<string | number, HandlerContext["emit"]>();
  #tokens = 0;

  constructor(client: Client) {
    client.setNotificationHandler(ProgressNotificationSchema, ({ params: { progressToken, ...progress } }) =>
      this.#byToken.get(progressToken)?.("progress", progress),
    );
  }

  /** The token that the request has to name. */
  follow(emit: HandlerContext["emit"]): number {
    this.#tokens += 1;
    this.#byToken.set(this.#tokens, emit);
    return this.#tokens;
  }

  leave(token: number): void {
    this.#byToken.delete(token);
  }
}
