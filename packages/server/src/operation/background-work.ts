import type { AppWorld } from "../api/app-world.js";
import { applyRetention } from "../database/partitions.js";
import { Deliverer } from "../webhooks/deliverer.js";
import { isPublicAddress } from "../webhooks/public-address.js";
import type { ServerSettings } from "./parse-settings.js";

const retentionMs = 3_600_000;
/** How often the server looks for what it has to send to webhooks. */
const deliveryMs = 2_000;

/** What the server does without being asked: it removes what is too old, and sends what webhooks wait for. */
export function startBackgroundWork(
  world: Pick<AppWorld, "database" | "now" | "log">,
  { allowsPrivateWebhooks }: ServerSettings,
): { stop(): Promise<void> } {
  const { database, now } = world;
  const deliverer = new Deliverer({ ...world, mayConnect: allowsPrivateWebhooks ? () => true : isPublicAddress });
  const timers = [
    setInterval(() => void applyRetention(database, now()).catch(() => undefined), retentionMs),
    setInterval(() => void deliverer.deliverDue(), deliveryMs),
  ];
  return {
    stop() {
      for (const timer of timers) clearInterval(timer);
      return deliverer.stop();
    },
  };
}
