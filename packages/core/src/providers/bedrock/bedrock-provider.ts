import * as z from "zod";
import { kindlmError, type KindlmError } from "../../errors/kindlm-error.js";
import { failure, success } from "../../result.js";
import type { Clock } from "../../values/clock.js";
import { defineProvider, type ProviderAccess } from "../define-provider.js";
import { createHttpAdapter, type HttpAdapterParts } from "../http/create-http-adapter.js";
import type { ProviderIdentity } from "../http/provider-identity.js";
import { refuseImageUrls } from "../http/refuse-image-urls.js";
import { httpProviderSettings } from "../provider-settings.js";
import type { WireFormat } from "../wire-format.js";
import { createBedrockAssembler } from "./assemble-stream.js";
import {
  keysOf,
  label,
  openBedrock,
  searchLibrary,
  signerLibrary,
  type,
  type BedrockAccess,
} from "./bedrock-access.js";
import { fromBedrockResponse } from "./from-response.js";
import { toBedrockRequest } from "./to-request.js";

/** Converse and ConverseStream of Amazon Bedrock. */
export const bedrockProvider = defineProvider({
  type,
  label,
  summary: "Models on Amazon Bedrock, through its Converse API",
  settings: {
    ...httpProviderSettings,
    region: z
      .string()
      .regex(/^[a-z0-9-]+$/)
      .optional()
      .describe("Region of the models; AWS_REGION or AWS_DEFAULT_REGION when absent"),
    profile: z.string().min(1).optional().describe("Profile of AWS's shared config files that holds the credentials"),
  },
  modelSettings: {},
  documents: {},
  isDeterministic: () => false,
  inspect: (settings, env) => {
    const access = openBedrock(settings, env);
    const { kind } = access.signing;
    const isKeyNeeded = access.isKeyMissing || access.apiKey !== null || kind !== "none";
    // The runtime has no cheap request; the list of models is on another server.
    const inspected: ProviderAccess = { baseUrl: access.baseUrl, keys: keysOf(access), isKeyNeeded, probe: null };
    if (kind === "search") inspected.otherKeys = "AWS's shared files, sign-in and roles";
    if (kind !== "none") inspected.peers = kind === "search" ? [signerLibrary, searchLibrary] : [signerLibrary];
    return inspected;
  },
  create(settings, ports) {
    const access = openBedrock(settings, ports.env);
    if (access.region === null && (access.signing.kind !== "none" || settings.provider["base_url"] === undefined)) {
      return failure(noRegion(access.identity));
    }
    const headers: Record<string, string> = {};
    if (access.apiKey !== null) headers["authorization"] = `Bearer ${access.apiKey}`;
    Object.assign(headers, access.headers);
    const streamHeaders = { accept: "application/vnd.amazon.eventstream", ...headers };
    const url = `${access.baseUrl}/model/${encodePathPart(settings.model)}/converse`;
    const streamUrl = `${url}-stream`;
    const format: WireFormat = {
      toRequest: (request) => ({
        ...(request.stream === true ? { url: streamUrl, headers: streamHeaders } : { url, headers }),
        body: toBedrockRequest(request),
      }),
      fromResponse: fromBedrockResponse,
      stream: { framing: "aws-event-stream", createAssembler: createBedrockAssembler },
    };
    const parts: HttpAdapterParts = { access, format };
    const sign = signerOf(access, ports.clock);
    if (sign !== null) parts.sign = sign;
    return success(refuseImageUrls(access.identity, createHttpAdapter(parts, ports)));
  },
});

/** Signing is loaded at the first request that needs it. */
function signerOf({ identity, region, signing }: BedrockAccess, clock: Clock): HttpAdapterParts["sign"] | null {
  if (signing.kind === "none" || region === null) return null;
  let opened: Promise<NonNullable<HttpAdapterParts["sign"]>> | null = null;
  const open = async (): Promise<NonNullable<HttpAdapterParts["sign"]>> => {
    const { createSigner } = await import("./create-signer.js");
    return createSigner({ identity, region, signing, clock });
  };
  return async (post, options) => (await (opened ??= open()))(post, options);
}

/** Ids have colons and ARNs have slashes, which must not be taken for parts of the path. */
function encodePathPart(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function noRegion({ name: provider, model }: ProviderIdentity): KindlmError {
  const message = `${provider} has no region. Set region in the provider's settings, or the environment variable AWS_REGION.`;
  return kindlmError("PROVIDER_API_ERROR", message, { details: { provider, model, retryable: false } });
}
