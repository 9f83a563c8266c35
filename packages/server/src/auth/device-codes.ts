import { notFound } from "../api/api-error.js";
import type { ApiWorld } from "../api/route.js";

export const deviceMinutes = 10;

/** As a person may type it: `wdjb mjht`. */
const normalized = (code: string): string => {
  const letters = code.toUpperCase().replaceAll(/[^A-Z]/g, "");
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
};

/** A login that waits for a person. Throws an ApiError if there is none with this code. */
export async function findDevice({ database, now }: ApiWorld, code: string) {
  const found = await database
    .selectFrom("device_codes")
    .select(["user_code", "expires_ms"])
    .where("user_code", "=", normalized(code))
    .where("state", "=", "pending")
    .where("expires_ms", ">", now())
    .executeTakeFirst();
  if (found === undefined) throw notFound("Code");
  return { code: found.user_code, askedMs: found.expires_ms - deviceMinutes * 60_000 };
}

/** Lets `kindlm login` have a token of the person, or refuses it. Throws an ApiError if no login waits with this code. */
export async function decideDevice(
  { database, now }: ApiWorld,
  { orgId, userId }: { orgId: string; userId: string },
  code: string,
  state: "approved" | "denied",
): Promise<void> {
  const decided = await database
    .updateTable("device_codes")
    .set({ state, org_id: orgId, user_id: userId })
    .where("user_code", "=", normalized(code))
    .where("state", "=", "pending")
    .where("expires_ms", ">", now())
    .returning("hash")
    .executeTakeFirst();
  if (decided === undefined) throw notFound("Code");
}
