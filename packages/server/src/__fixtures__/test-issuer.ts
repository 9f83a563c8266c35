import { createHmac, createPublicKey, generateKeyPairSync, sign, type JsonWebKey, type KeyObject } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text as textOf } from "node:stream/consumers";
import { afterFile } from "../../../core/src/__fixtures__/clean-up.js";

interface Header {
  alg?: string;
  kid?: string;
  /** A key of someone else that comes with the token, which it signs. */
  jwk?: JsonWebKey;
  /** What must be understood to check the token. */
  crit?: readonly string[];
}

/** An issuer of ID tokens on the loopback interface, with its keys. */
export interface TestIssuer {
  url: string;
  /** How often its keys were read. */
  reads: number;
  /** Answers 503 from now on. */
  isDown: boolean;
  publish(kid: string): void;
  /** Gives the ID token for a code, from the form and the header of the request; null refuses it. */
  redeem: (form: URLSearchParams, authorization: string) => string | null;
  /** A token that the issuer signs, unless the header says otherwise. */
  issue(claims: Record<string, unknown>, header?: Header): string;
}

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

interface SigningKey {
  privateKey: KeyObject;
  jwk: JsonWebKey;
}

const made = new Map<string, SigningKey>();

/** The same for all issuers and files of a worker: to make one takes a tenth of a second. */
export function signingKey(kid: string): SigningKey {
  const known = made.get(kid);
  if (known !== undefined) return known;
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const key = { privateKey, jwk: { ...publicKey.export({ format: "jwk" }), kid, use: "sig", alg: "RS256" } };
  made.set(kid, key);
  return key;
}

export async function startTestIssuer(): Promise<TestIssuer> {
  const first = signingKey("key-1");
  const keys = new Map([["key-1", first]]);
  const server = createServer((request, response) => {
    if (issuer.isDown) return response.writeHead(503).end();
    if (request.url === "/keys") {
      issuer.reads += 1;
      return response.end(JSON.stringify({ keys: [...keys.values()].map(({ jwk }) => jwk) }));
    }
    if (request.url === "/token") return void redeem(request, response);
    const endpoints = { authorization_endpoint: `${issuer.url}/authorize`, token_endpoint: `${issuer.url}/token` };
    return response.end(JSON.stringify({ issuer: issuer.url, jwks_uri: `${issuer.url}/keys`, ...endpoints }));
  });
  const redeem = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const idToken = issuer.redeem(new URLSearchParams(await textOf(request)), request.headers.authorization ?? "");
    response.writeHead(idToken === null ? 400 : 200, { "content-type": "application/json" });
    response.end(
      JSON.stringify(idToken === null ? { error: "invalid_grant" } : { id_token: idToken, token_type: "Bearer" }),
    );
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterFile(() => void server.close());
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const issuer: TestIssuer = {
    url: `http://127.0.0.1:${port}`,
    reads: 0,
    isDown: false,
    redeem: () => null,
    publish: (kid) => void keys.set(kid, signingKey(kid)),
    issue(claims, { alg = "RS256", kid = "key-1", ...more } = {}) {
      const signed = `${part({ alg, kid, typ: "JWT", ...more })}.${part(claims)}`;
      const { privateKey, jwk } = keys.get(kid) ?? first;
      if (alg === "none") return `${signed}.`;
      if (alg === "HS256") {
        // As libraries take a key that is published as text for a shared one.
        const pem = createPublicKey({ key: jwk, format: "jwk" }).export({ type: "spki", format: "pem" });
        return `${signed}.${createHmac("sha256", pem).update(signed).digest("base64url")}`;
      }
      return `${signed}.${sign("sha256", Buffer.from(signed), privateKey).toString("base64url")}`;
    },
  };
  return issuer;
}
