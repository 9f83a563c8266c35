import { attempt } from "../../errors/boundary.js";
import { messageOf } from "../../errors/message-of.js";
import { kindlmError, type KindlmError } from "../../errors/kindlm-error.js";
import { failure, type Result } from "../../result.js";
import type { Clock } from "../../values/clock.js";
import { createAbortWatch } from "../http/abort-watch.js";
import { classifyFailure } from "../http/classify.js";
import type { ProviderIdentity } from "../http/provider-identity.js";
import { accessKeyEnv, apiKeyEnv, searchLibrary, secretKeyEnv, signerLibrary, type AwsKeys } from "./bedrock-access.js";
import { loadFunction, type ImportLibrary } from "./load-library.js";

const install = `npm install ${searchLibrary} ${signerLibrary}`;
const variables = `Set ${apiKeyEnv}, or ${accessKeyEnv} and ${secretKeyEnv}`;

/** How long a search may take; it may ask the machine's metadata service or a sign-in server. */
const searchMs = 15_000;

export interface KeySearchParts {
  identity: ProviderIdentity;
  /** Profile of the shared config files; AWS's own default when undefined. */
  profile: string | undefined;
  clock: Clock;
  importLibrary: ImportLibrary;
}

/**
 * Finds keys as AWS's own tools do: shared config files, profiles, sign-in, roles, the machine's metadata. The library
 * that does it is an optional peer, loaded at the first search; it keeps what it found until that expires.
 */
export function createKeySearch(parts: KeySearchParts): (signal: AbortSignal) => Promise<Result<AwsKeys>> {
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
