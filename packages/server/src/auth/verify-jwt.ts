import { createPublicKey, verify, type JsonWebKey, type KeyObject } from "node:crypto";
import * as z from "zod";
import { unauthorized } from "../api/api-error.js";

/** Longer tokens are an attack. */
const mostCharacters = 16_384;
/** Clocks differ. */
const leewaySeconds = 30;
const leastRsaBits = 2_048;

/** The algorithms that are accepted: those with a public key that providers use. Neither none nor one with a shared key. */
const algorithms = {
  RS256: { kty: "RSA", hash: "sha256" },
  ES256: { kty: "EC", hash: "sha256" },
} as const;

const headerSchema = z.looseObject({
  alg: z.enum(["RS256", "ES256"]),
  kid: z.string().optional(),
  // Extensions that must be understood, of which there are none.
  crit: z.undefined().optional(),
});

const claimsSchema = z.looseObject({
  iss: z.string(),
  aud: z.union([z.string(), z.array(z.string())]),
  exp: z.number(),
  nbf: z.number().optional(),
  sub: z.string().optional(),
  jti: z.string().optional(),
});

/** The claims of a token; those of its issuer are not checked. */
export type JwtClaims = z.infer<typeof claimsSchema>;

/** A public key as a JWKS has it. */
export type PublishedKey = JsonWebKey & { kid?: string; use?: string; alg?: string };

interface JwtRules {
  issuer: string;
  audience: string;
  nowMs: number;
  /** The key of an id, or the only one if a token names none; null if there is none. */
  keyFor(kid: string | undefined): Promise<PublishedKey | null>;
}

const refuse = (reason: string): Error => unauthorized(`The ID token ${reason}`);

/**
 * Checks the signature of a JSON Web Token with a published key, its issuer, its audience and its time. Rejects with 401
 * and the reason.
 */
export async function verifyJwt(token: string, { issuer, audience, nowMs, keyFor }: JwtRules): Promise<JwtClaims> {
  const [head = "", payload = "", signature = "", ...more] = token.length > mostCharacters ? [] : token.split(".");
  const header = headerSchema.safeParse(decode(head));
  if (signature === "" || more.length > 0 || !header.success) throw refuse("has a form or algorithm that is not valid");
  const { alg, kid } = header.data;
  const published = await keyFor(kid);
  const key = published === null ? null : usableKey(published, alg);
  if (key === null) throw refuse("is signed with an unknown key");
  const signed = Buffer.from(`${head}.${payload}`);
  const isSigned = verify(
    algorithms[alg].hash,
    signed,
    { key, dsaEncoding: "ieee-p1363" },
    Buffer.from(signature, "base64url"),
  );
  if (!isSigned) throw refuse("has a wrong signature");
  const claims = claimsSchema.safeParse(decode(payload));
  if (!claims.success) throw refuse("lacks claims");
  const { iss, aud, exp, nbf = 0 } = claims.data;
  if (iss !== issuer) throw refuse("has another issuer");
  if (!(Array.isArray(aud) ? aud : [aud]).includes(audience)) throw refuse(`is not for ${audience}`);
  const now = nowMs / 1_000;
  if (exp + leewaySeconds <= now) throw refuse("has expired");
  if (nbf - leewaySeconds > now) throw refuse("is not valid yet");
  return claims.data;
}

function decode(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
  } catch {
    return null;
  }
}

/** Null if the key is for something else, or too weak. */
function usableKey(published: PublishedKey, alg: keyof typeof algorithms): KeyObject | null {
  const { kty, use = "sig", alg: own = alg } = published;
  if (kty !== algorithms[alg].kty || use !== "sig" || own !== alg) return null;
  try {
    const key = createPublicKey({ key: published, format: "jwk" });
    const bits = key.asymmetricKeyDetails?.modulusLength ?? leastRsaBits;
    return bits < leastRsaBits ? null : key;
  } catch {
    return null;
  }
}
