import { BedrockRuntimeServiceException, ConverseCommand } from "@aws-sdk/client-bedrock-runtime";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { sendJson } from "../../packages/core/src/__fixtures__/start-server.js";
import { partsOf } from "../support/verify-aws-signature.js";
import { adapterFor, requestOf, transport } from "./adapter-under-test.js";
import {
  apiKey,
  ask,
  closeBedrock,
  credentials,
  keyVariables,
  profile,
  sdk,
  serve,
  simple,
} from "./bedrock-under-test.js";

afterEach(closeBedrock);
afterAll(() => transport.close());

describe("an error", () => {
  const day = "Too many tokens per day, please wait before trying again.";

  it.each([
    ["ValidationException", 400, "The provided model identifier is invalid.", "PROVIDER_API_ERROR", undefined],
    ["ServiceQuotaExceededException", 400, "Your request exceeds the service quota.", "PROVIDER_API_ERROR", false],
    ["AccessDeniedException", 403, "You don't have access to the model.", "PROVIDER_AUTH_ERROR", false],
    ["UnrecognizedClientException", 403, "The security token is invalid.", "PROVIDER_AUTH_ERROR", false],
    ["ExpiredTokenException", 403, "The security token is expired", "PROVIDER_AUTH_ERROR", false],
    ["ResourceNotFoundException", 404, "Could not resolve the model.", "PROVIDER_API_ERROR", undefined],
    ["ModelTimeoutException", 408, "Model processing timeout.", "PROVIDER_TIMEOUT", true],
    ["ModelErrorException", 424, "The model failed.", "PROVIDER_API_ERROR", undefined],
    ["ThrottlingException", 429, "Too many requests, please wait.", "PROVIDER_RATE_LIMIT", true],
    ["ThrottlingException", 429, day, "PROVIDER_API_ERROR", false],
    ["ModelNotReadyException", 429, "Model is not ready.", "PROVIDER_API_ERROR", true],
    ["InternalServerException", 500, "The system failed.", "PROVIDER_API_ERROR", undefined],
    ["ServiceUnavailableException", 503, "Too many connections.", "PROVIDER_API_ERROR", true],
  ])("%s (%i: %s) is %s", async (name, status, message, code, retryable) => {
    const headers = {
      "x-amzn-requestid": "req_e",
      "x-amzn-errortype": `${name}:http://internal.amazon.com/coral/com.amazon.bedrock/`,
    };
    const { url } = await serve((_request, response) => sendJson(response, status, { message }, headers));
    const ofSdk: unknown = await sdk(url)
      .send(new ConverseCommand(simple))
      .catch((cause: unknown) => cause);
    expect(ofSdk).toBeInstanceOf(BedrockRuntimeServiceException);
    expect(ofSdk).toMatchObject({ name, message, $metadata: { httpStatusCode: status, requestId: "req_e" } });
    for (const stream of [false, true]) {
      const result = await ask(url, requestOf({ stream }));
      const error = result.success ? null : result.error;
      expect(error).toMatchObject({
        code,
        details: { provider: "Bedrock", model: profile, status, requestId: "req_e" },
      });
      const details = (error?.details ?? {}) as { retryable?: boolean; quota?: boolean };
      expect(details.retryable).toBe(retryable);
      expect(details.quota).toBe(retryable === false && code === "PROVIDER_API_ERROR" ? true : undefined);
      // A rate limit has a sentence of its own.
      if (code !== "PROVIDER_RATE_LIMIT") expect(error?.message).toContain(message);
    }
  });

  it("names the region's setting and the key's variable when they are missing", async () => {
    expect(() => adapterFor({ type: "bedrock", env: { AWS_BEARER_TOKEN_BEDROCK: apiKey } })).toThrow(
      "Bedrock has no region. Set region in the provider's settings, or the environment variable AWS_REGION.",
    );
    const provider = { region: "eu-west-1", api_key_env: "MY_KEY" };
    const adapter = adapterFor({ type: "bedrock", provider, env: keyVariables });
    expect(await adapter.complete(requestOf(), { signal: new AbortController().signal })).toMatchObject({
      error: {
        code: "PROVIDER_AUTH_ERROR",
        message: expect.stringContaining("Set MY_KEY environment variable") as string,
      },
    });
  });

  it.each([false, true])("never shows a credential, streamed: %s", async (stream) => {
    const { url, requests } = await serve((received, response) => {
      // As AWS explains a signature that is not right, and more than it would tell.
      const message = `The Canonical String should have been ${JSON.stringify(received.headers)}`;
      sendJson(response, 403, { message }, { "x-amzn-errortype": "InvalidSignatureException" });
    });
    for (const env of [keyVariables, { AWS_BEARER_TOKEN_BEDROCK: apiKey }]) {
      const result = await ask(url, requestOf({ stream }), { env });
      const shown = JSON.stringify(result);
      expect(result).toMatchObject({ error: { code: "PROVIDER_AUTH_ERROR", details: { status: 403 } } });
      const [received] = requests.slice(-1);
      if (received === undefined) throw new Error("A request was expected");
      const { signature } = partsOf(received);
      const secrets = [apiKey, ...Object.values(credentials), signature].filter((secret) => secret !== "");
      for (const secret of secrets) expect(shown).not.toContain(secret);
      expect(shown).toContain("[redacted]");
    }
  });
});
