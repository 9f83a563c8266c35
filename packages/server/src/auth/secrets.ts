import { createHash, randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

const derive = promisify<string, Buffer, number, Buffer>(scrypt);
const keyBytes = 32;

export const sha256 = (content: string | Uint8Array): string => createHash("sha256").update(content).digest("hex");

/** A new secret. Only its hash is stored. */
export function createSecret(prefix = "klm_"): { secret: string; hash: string } {
  const secret = `${prefix}${randomBytes(32).toString("base64url")}`;
  return { secret, hash: sha256(secret) };
}

export const createId = (prefix: string): string => `${prefix}_${randomBytes(9).toString("base64url")}`;

/** Without letters that look alike. */
const letters = "BCDFGHJKLMNPQRSTVWXZ";

/** A code that a person types, such as `WDJB-MJHT`. */
export function createUserCode(): string {
  const word = (): string => Array.from(randomBytes(4), (byte) => letters[byte % letters.length]).join("");
  return `${word()}-${word()}`;
}

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password, salt, keyBytes);
  return `${salt.toString("base64url")}.${key.toString("base64url")}`;
}

export async function isPassword(password: string, stored: string): Promise<boolean> {
  const [salt = "", key = ""] = stored.split(".");
  const expected = Buffer.from(key, "base64url");
  const given = await derive(password, Buffer.from(salt, "base64url"), keyBytes);
  return expected.length === given.length && timingSafeEqual(expected, given);
}
