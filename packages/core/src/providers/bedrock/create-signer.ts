import { createHash, createHmac, type Hash } from "node:crypto";
import { attempt } from "../../errors/boundary.js";
import { messageOf } from "../../errors/message-of.js";
import { kindlmError, type KindlmError } from "../../errors/kindlm-error.js";
import { failure, success, type Result } from "../../result.js";
import type { Clock } from "../../values/clock.js";
import type { CompletionParts } from "../http/post-completion.js";
import type { ProviderIdentity } from "../http/provider-identity.js";
import { signerLibrary, type AwsKeys, type Signing } from "./bedrock-access.js";
import { createKeySearch } from "./find-keys.js";
import { importInstalled, loadFunction, type ImportLibrary } from "./load-library.js";

export interface SignerParts {
  identity: ProviderIdentity;
  region: string;
  signing: Exclude<Signing, { kind: "none" }>;
  clock: Clock;
  importLibrary?: ImportLibrary;
}

/**
 * Signs requests with Signature Version 4. The library that does it is an optional peer, loaded at the first request;
 * when it is not installed the error has the command that adds it.
 */
export function createSigner(parts: SignerParts): NonNullable<CompletionParts["sign"]> {
  const { identity, region, signing, clock, importLibrary = importInstalled } = parts;
  const find = signing.kind === "search" ? createKeySearch({ identity, ...signing, clock, importLibrary }) : null;
  let opened: Promise<Result<SignerClass>> | null = null;
  let current: { keys: AwsKeys; signer: Signer } | null = null;

  const open = async (): Promise<Result<SignerClass>> => {
    const library = await loadFunction(signerLibrary, "SignatureV4", importLibrary, isSignerClass);
    if (library.success) return library;
    const { isMissing, message, cause } = library.error;
    return failure(cannotSign(identity, isMissing ? `${message}. Run: npm install ${signerLibrary}` : message, cause));
  };

  return async (post, { signal }) => {
    const found = signing.kind === "keys" ? success(signing.keys) : await find?.(signal);
    if (found?.success !== true) return found ?? failure(cannotSign(identity, "there are no keys"));
    const keys = found.data;
    const library = await (opened ??= open());
    if (!library.success) return library;
    if (current?.keys !== keys) {
      const signer = new library.data({ service: "bedrock", region, credentials: keys, sha256: Sha256 });
      current = { keys, signer };
    }
    const { signer } = current;
    const signed = await attempt(
      () => signer.sign(signableOf(post), { signingDate: new Date(clock.now()) }),
      (cause) => cannotSign(identity, messageOf(cause), cause),
    );
    if (!signed.success) return signed;
    const { host: _host, ...headers } = signed.data.headers;
    return success({ ...post, headers });
  };
}

interface Signable {
  method: string;
  protocol: string;
  hostname: string;
  path: string;
  query: Readonly<Record<string, string>>;
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** The part of the library that is used here. */
interface Signer {
  sign(request: Signable, options: { signingDate: Date }): Promise<{ headers: Readonly<Record<string, string>> }>;
}

type SignerClass = new (options: {
  service: string;
  region: string;
  credentials: AwsKeys;
  sha256: typeof Sha256;
}) => Signer;

function isSignerClass(value: unknown): value is SignerClass {
  return typeof value === "function";
}

/** What is signed is what is sent: the path as it is encoded once, the host that HTTP adds, the body byte for byte. */
function signableOf({ url, headers, body }: Parameters<NonNullable<CompletionParts["sign"]>>[0]): Signable {
  const { protocol, hostname, host, pathname, searchParams } = new URL(url);
  return {
    method: "POST",
    protocol,
    hostname,
    path: pathname,
    query: Object.fromEntries(searchParams),
    headers: { "content-type": "application/json", host, ...headers },
    body: JSON.stringify(body),
  };
}

/** SHA-256 and its HMAC in the shape that the library asks for. */
class Sha256 {
  private readonly hash: Pick<Hash, "digest"> & { update(data: Uint8Array | string): unknown };

  constructor(secret?: Uint8Array | string) {
    this.hash = secret === undefined ? createHash("sha256") : createHmac("sha256", secret);
  }

  update(data: Uint8Array | string): void {
    this.hash.update(data);
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(new Uint8Array(this.hash.digest()));
  }
}

function cannotSign({ name: provider, model }: ProviderIdentity, reason: string, cause?: unknown): KindlmError {
  return kindlmError("PROVIDER_API_ERROR", `The request to ${provider} cannot be signed: ${reason}`, {
    details: { provider, model, sent: false, retryable: false },
    cause,
  });
}
