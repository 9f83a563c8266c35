import { createHash, createHmac, type Hash } from "node:crypto";
import { attempt } from "../../errors/boundary.js";
import { messageOf } from "../../errors/message-of.js";
import { kindlmError, type KindlmError } from "../../errors/kindlm-error.js";
import { failure, success, type Result } from "../../result.js";
import type { Clock } from "../../values/clock.js";
import type { CompletionParts } from "../http/post-completion.js";
import type { ProviderIdentity } from "../http/provider-identity.js";
import {
  signerLibrary,
  accessKeyEnv,
  apiKeyEnv,
  searchLibrary,
  secretKeyEnv,
  type AwsKeys,
  type Signing,
} from "./bedrock-access.js";
import { importModule, type ImportModule } from "../../modules/import-module.js";
import { createAbortWatch } from "../http/abort-watch.js";
import { classifyFailure } from "../http/classify.js";
import { isRecord } from "../../values/json.js";

const install = `npm install ${searchLibrary} ${signerLibrary}`;
const variables = `Set ${apiKeyEnv}, or ${accessKeyEnv} and ${secretKeyEnv}`;

/** How long a search may take; it may ask the machine's metadata service or a sign-in server. */
const searchMs = 15_000;

export interface SignerParts {
  identity: ProviderIdentity;
  region: string;
  signing: Exclude<Signing, { kind: "none" }>;
  clock: Clock;
  importLibrary?: ImportModule;
}

/**
 * Signs requests with Signature Version 4. The library that does it is an optional peer, loaded at the first request;
 * when it is not installed the error has the command that adds it.
 */
export function createSigner(parts: SignerParts): NonNullable<CompletionParts["sign"]> {
  const { identity, region, signing, clock, importLibrary = importModule } = parts;
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

interface KeySearchParts {
  identity: ProviderIdentity;
  /** Profile of the shared config files; AWS's own default when undefined. */
  profile: string | undefined;
  clock: Clock;
  importLibrary: ImportModule;
}

/**
 * Finds keys as AWS's own tools do: shared config files, profiles, sign-in, roles, the machine's metadata. The library
 * that does it is an optional peer, loaded at the first search; it keeps what it found until that expires.
 */
function createKeySearch(parts: KeySearchParts): (signal: AbortSignal) => Promise<Result<AwsKeys>> {
  const { identity, profile, clock, importLibrary } = parts;
  const aborts = createAbortWatch();
  let opened: Promise<Result<() => Promise<AwsKeys>>> | null = null;

  const open = async (): Promise<Result<() => Promise<AwsKeys>>> => {
    const library = await loadFunction(searchLibrary, "defaultProvider", importLibrary, isDefaultProvider);
    if (library.success) return { success: true, data: library.data({ profile }) };
    const { isMissing, message, cause } = library.error;
    const reason = isMissing ? `For profiles, sign-in and roles run: ${install}` : message;
    return failure(noKeys(identity, `${variables}. ${reason}`, cause));
  };

  return async (signal) => {
    const find = await (opened ??= open());
    if (!find.success) return find;
    const interrupted = (): KindlmError =>
      classifyFailure(identity, { kind: "aborted", cause: errorOf(signal.reason) }, clock.now());
    if (signal.aborted) return failure(interrupted());
    return new Promise((resolve) => {
      const settle = (outcome: Result<AwsKeys>): void => {
        cancelTimer();
        unwatch();
        resolve(outcome);
      };
      const unwatch = aborts.add(signal, () => settle(failure(interrupted())));
      const cancelTimer = clock.after(searchMs, () => settle(failure(tooSlow(identity))));
      void attempt(find.data, (cause) => noKeys(identity, `${messageOf(cause)}. ${variables}`, cause)).then(settle);
    });
  };
}

type DefaultProvider = (options: { profile: string | undefined }) => () => Promise<AwsKeys>;

function isDefaultProvider(value: unknown): value is DefaultProvider {
  return typeof value === "function";
}

function noKeys(identity: ProviderIdentity, reason: string, cause: unknown): KindlmError {
  const { name: provider, model } = identity;
  return kindlmError("PROVIDER_AUTH_ERROR", `${provider} has no credentials. ${reason}`, {
    details: { provider, model, apiKeyEnv, remedy: reason, sent: false, retryable: false },
    cause,
  });
}

function tooSlow({ name: provider, model }: ProviderIdentity): KindlmError {
  return kindlmError("PROVIDER_TIMEOUT", `${provider} credentials were not found within ${searchMs}ms`, {
    details: { provider, model, retryable: true },
  });
}

function errorOf(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}

interface LibraryProblem {
  /** True when the library is not installed, false when it is but does not load. */
  isMissing: boolean;
  message: string;
  cause?: unknown;
}

/** One export of an optional library, if it is a function. */
async function loadFunction<T>(
  name: string,
  exported: string,
  importLibrary: ImportModule,
  isWanted: (value: unknown) => value is T,
): Promise<Result<T, LibraryProblem>> {
  const loaded = await attempt(
    () => importLibrary(name),
    (cause) => kindlmError("UNKNOWN_ERROR", messageOf(cause), { cause }),
  );
  if (!loaded.success) {
    const { message, cause } = loaded.error;
    const isMissing = cause instanceof Error && "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND";
    if (isMissing && message.includes(name)) return failure({ isMissing, message: `${name} is not installed`, cause });
    return failure({ isMissing: false, message: `${name} cannot be loaded: ${message}`, cause });
  }
  const value = isRecord(loaded.data) ? loaded.data[exported] : undefined;
  return isWanted(value)
    ? success(value)
    : failure({ isMissing: false, message: `${name} has no ${exported}, so KindLM does not know this version` });
}
