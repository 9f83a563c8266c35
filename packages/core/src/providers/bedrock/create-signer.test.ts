import { describe, expect, it } from "vitest";
import { createManualClock } from "../../__fixtures__/manual-clock.js";
import type { Signing } from "./bedrock-access.js";
import type { ImportModule } from "../../modules/import-module.js";
import { createSigner } from "./create-signer.js";

const identity = { name: "Bedrock", model: "m", apiKeyEnv: "AWS_BEARER_TOKEN_BEDROCK" };
const who = { provider: "Bedrock", model: "m" };
const keys = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret-canary" };
const post = { url: "https://bedrock-runtime.us-east-1.amazonaws.com/model/a%3A0/converse", headers: {}, body: {} };

const importReal: ImportModule = (name) => import(name);

/** As Node.js fails when a library is not there. */
function withoutLibrary(absent: string): ImportModule {
  return (name) => {
    if (name !== absent) return importReal(name);
    const problem = new Error(`Cannot find package '${name}' imported from /app/core.js`);
    return Promise.reject(Object.assign(problem, { code: "ERR_MODULE_NOT_FOUND" }));
  };
}

/** Stands for the library that searches, since the real one would look at this machine. */
function withSearch(find: () => Promise<unknown>, seen: unknown[] = []): ImportModule {
  return (name) => {
    if (name === "@smithy/signature-v4") return importReal(name);
    const defaultProvider = (options: unknown) => {
      seen.push(options);
      return find;
    };
    return Promise.resolve({ defaultProvider });
  };
}

function endlessSearch() {
  let start: (() => void) | undefined;
  const started = new Promise<void>((resolve) => (start = resolve));
  const library = withSearch(() => {
    start?.();
    return new Promise(() => undefined);
  });
  return { library, started };
}

function signerOf(importLibrary: ImportModule, signing: Exclude<Signing, { kind: "none" }> = { kind: "keys", keys }) {
  const clock = createManualClock();
  const sign = createSigner({ identity, region: "us-east-1", signing, clock, importLibrary });
  return { clock, sign: (signal = new AbortController().signal) => sign(post, { signal }) };
}

const search = { kind: "search", profile: undefined } as const;

describe("createSigner", () => {
  it("adds the headers of a signature, and none that HTTP adds by itself", async () => {
    const signed = await signerOf(importReal).sign();
    const headers = signed.success ? signed.data.headers : {};
    expect(Object.keys(headers).toSorted()).toEqual([
      "authorization",
      "content-type",
      "x-amz-content-sha256",
      "x-amz-date",
    ]);
    expect(headers["authorization"]).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/us-east-1\/bedrock\/aws4_request, SignedHeaders=content-type;host;x-amz-content-sha256;x-amz-date, Signature=[0-9a-f]{64}$/,
    );
    expect(JSON.stringify(signed)).not.toContain(keys.secretAccessKey);
  });

  it.each([
    [
      "@smithy/signature-v4",
      { kind: "keys", keys } as const,
      "PROVIDER_API_ERROR",
      "The request to Bedrock cannot be signed: @smithy/signature-v4 is not installed. Run: npm install @smithy/signature-v4",
    ],
    [
      "@aws-sdk/credential-provider-node",
      search,
      "PROVIDER_AUTH_ERROR",
      "Bedrock has no credentials. Set AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. For profiles, sign-in and roles run: npm install @aws-sdk/credential-provider-node @smithy/signature-v4",
    ],
  ])("says how to install %s when it is missing", async (library, signing, code, message) => {
    const signed = await signerOf(withoutLibrary(library), signing).sign();
    expect(signed).toMatchObject({ success: false, error: { code, message, details: { ...who, retryable: false } } });
  });

  it.each([
    ["that does not load", () => Promise.reject(new Error("bad bytes")), "cannot be loaded: bad bytes"],
    ["that needs what is missing", () => missing("tslib"), "cannot be loaded: Cannot find package 'tslib'"],
    ["of another kind", () => Promise.resolve({}), "has no SignatureV4, so KindLM does not know this version"],
    ["that is nothing", () => Promise.resolve(null), "has no SignatureV4, so KindLM does not know this version"],
  ])("reports a library %s", async (_name, importLibrary, reason) => {
    const signed = await signerOf(importLibrary).sign();
    const message = `The request to Bedrock cannot be signed: @smithy/signature-v4 ${reason}`;
    expect(signed).toMatchObject({ error: { code: "PROVIDER_API_ERROR", message } });
  });

  it("loads each library once", async () => {
    const loaded: string[] = [];
    const library = withSearch(() => Promise.resolve(keys));
    const { sign } = signerOf((name) => {
      loaded.push(name);
      return library(name);
    }, search);
    await Promise.all([sign(), sign()]);
    await sign();
    expect(loaded.toSorted()).toEqual(["@aws-sdk/credential-provider-node", "@smithy/signature-v4"]);
  });

  it("asks for the profile, and signs with the keys that were found last", async () => {
    const seen: unknown[] = [];
    const found = [keys, { ...keys, accessKeyId: "AKIDSECOND", sessionToken: "token" }];
    const library = withSearch(() => Promise.resolve(found.shift()), seen);
    const { sign } = signerOf(library, { kind: "search", profile: "work" });
    const first = await sign();
    const second = await sign();
    expect(seen).toEqual([{ profile: "work" }]);
    expect(first).toMatchObject({
      data: { headers: { authorization: expect.stringContaining("AKIDEXAMPLE") as string } },
    });
    expect(second).toMatchObject({
      data: {
        headers: {
          authorization: expect.stringContaining("AKIDSECOND") as string,
          "x-amz-security-token": "token",
        },
      },
    });
  });

  it("says why no keys were found, and what to set", async () => {
    const { sign } = signerOf(
      withSearch(() => Promise.reject(new Error("Could not load credentials from any providers"))),
      search,
    );
    expect(await sign()).toMatchObject({
      error: {
        code: "PROVIDER_AUTH_ERROR",
        message:
          "Bedrock has no credentials. Could not load credentials from any providers. Set AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
        details: { ...who, apiKeyEnv: "AWS_BEARER_TOKEN_BEDROCK", retryable: false },
      },
    });
  });

  it("gives a search up after a while", async () => {
    const { library, started } = endlessSearch();
    const { sign, clock } = signerOf(library, search);
    const signing = sign();
    await started;
    clock.advance(15_000);
    expect(await signing).toMatchObject({
      error: {
        code: "PROVIDER_TIMEOUT",
        message: "Bedrock credentials were not found within 15000ms",
        details: { ...who, retryable: true },
      },
    });
  });

  it("ends a search with the user's interruption, at once and before it starts", async () => {
    const controller = new AbortController();
    const { library, started } = endlessSearch();
    const { sign } = signerOf(library, search);
    const signing = sign(controller.signal);
    await started;
    controller.abort(new Error("SIGINT"));
    expect(await signing).toMatchObject({ error: { code: "ENGINE_ABORTED" } });
    expect(await sign(controller.signal)).toMatchObject({ error: { code: "ENGINE_ABORTED" } });
  });

  it("reports keys that cannot be signed with", async () => {
    const { sign } = signerOf(
      withSearch(() => Promise.resolve({ accessKeyId: "AKID" })),
      search,
    );
    const message = "The request to Bedrock cannot be signed: Resolved credential object is not valid";
    expect(await sign()).toMatchObject({ error: { code: "PROVIDER_API_ERROR", message } });
  });
});

function missing(name: string): Promise<never> {
  return Promise.reject(Object.assign(new Error(`Cannot find package '${name}'`), { code: "ERR_MODULE_NOT_FOUND" }));
}
