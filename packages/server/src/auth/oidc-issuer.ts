import * as z from "zod";
import { unavailable } from "../api/api-error.js";
import { sendRequest } from "../outbound/send-request.js";
import type { PublishedKey } from "./verify-jwt.js";

const keptMs = 3_600_000;
/** An unknown key is asked for at most as often: tokens with invented keys must not flood the issuer. */
const retryMs = 60_000;
const timeoutMs = 5_000;
const mostBytes = 1_000_000;

const configurationSchema = z.looseObject({ issuer: z.string(), jwks_uri: z.url() });
const keysSchema = z.object({ keys: z.array(z.looseObject({ kty: z.string(), kid: z.string().optional() })) });

type Configuration = z.infer<typeof configurationSchema>;

interface Found {
  configuration: Configuration;
  keys: readonly PublishedKey[];
  atMs: number;
}

/** An issuer of ID tokens with the keys that it publishes (OpenID Connect Discovery). */
export class OidcIssuer {
  readonly issuer: string;
  readonly #now: () => number;
  #found: Found | null = null;
  #asking: Promise<Found> | null = null;

  /** @param issuer - as tokens name it, such as `https://token.actions.githubusercontent.com` */
  constructor(issuer: string, now: () => number) {
    this.issuer = issuer;
    this.#now = now;
  }

  /** What the issuer says of itself. Rejects with 503 if it does not answer. */
  async configuration(): Promise<Configuration> {
    return (await this.#find(keptMs)).configuration;
  }

  /** The key of an id, or the only one without an id. Null if there is none. Rejects with 503 if the issuer does not answer. */
  async keyFor(kid: string | undefined): Promise<PublishedKey | null> {
    const known = pick((await this.#find(keptMs)).keys, kid);
    return known ?? pick((await this.#find(retryMs)).keys, kid);
  }

  #find(mostAgeMs: number): Promise<Found> {
    const found = this.#found;
    if (found !== null && this.#now() - found.atMs < mostAgeMs) return Promise.resolve(found);
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  async #ask(): Promise<Found> {
    try {
      const address = `${this.issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
      const configuration = configurationSchema.parse(await fetchJson(address));
      if (configuration.issuer !== this.issuer) throw new Error("It names itself differently");
      const { keys } = keysSchema.parse(await fetchJson(configuration.jwks_uri));
      this.#found = { configuration, keys, atMs: this.#now() };
      return this.#found;
    } catch {
      throw unavailable(`${this.issuer} does not publish its keys`);
    }
  }
}

function pick(keys: readonly PublishedKey[], kid: string | undefined): PublishedKey | null {
  if (kid === undefined) return keys.length === 1 ? (keys[0] ?? null) : null;
  return keys.find((key) => key.kid === kid) ?? null;
}

/** Whoever runs the server has named the issuer, so it may be in a private network. */
async function fetchJson(address: string): Promise<unknown> {
  const url = new URL(address);
  const isLocal = ["127.0.0.1", "[::1]", "localhost"].includes(url.hostname);
  if (url.protocol !== "https:" && !isLocal) throw new Error("Keys are only read with HTTPS");
  const reply = await sendRequest({ url, method: "GET", timeoutMs, mostBytes, mayConnect: () => true });
  if (reply.status !== 200) throw new Error(`It answered ${reply.status}`);
  return JSON.parse(reply.body.toString("utf8"));
}
