import {
  BedrockRuntimeClient,
  type ConverseCommandInput,
  type ConverseStreamOutput,
} from "@aws-sdk/client-bedrock-runtime";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import type { ServerResponse } from "node:http";
import type { ProviderRequest } from "../../packages/core/src/providers/provider.js";
import {
  startServer,
  type Handler,
  type LoopbackServer,
  type ReceivedRequest,
} from "../../packages/core/src/__fixtures__/start-server.js";
import { adapterFor } from "./adapter-under-test.js";

export const apiKey = "bedrock-api-key-YmVkcm9jay5hbWF6b25hd3M=";
export const credentials = {
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  sessionToken: "IQoJb3JpZ2luX2VjEXAMPLE/canary+token==",
};
export const keyVariables = {
  AWS_ACCESS_KEY_ID: credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  AWS_SESSION_TOKEN: credentials.sessionToken,
};
export const profile = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";
export const arn = "arn:aws:bedrock:eu-west-1:123456789012:application-inference-profile/a1b2c3";

/** What the server answers. */
export const answer = {
  text: "I will cancel it.",
  toolCalls: [
    { tool: "cancel_order", args: { order_id: "ORD-1", reason: "grüße €" } },
    { tool: "lookup_order", args: { order_id: "ORD-2" } },
  ],
};

let server: LoopbackServer | null = null;
let client: BedrockRuntimeClient | null = null;

/** Ends what the last test has opened. */
export async function closeBedrock(): Promise<void> {
  client?.destroy();
  client = null;
  await server?.close();
  server = null;
}

export async function serve(handler: Handler): Promise<LoopbackServer> {
  return (server = await startServer(handler));
}

/** The SDK speaks HTTP/2 by itself, which a plain server does not. */
export function sdk(url: string, mode: "key" | "signed" = "key"): BedrockRuntimeClient {
  const auth =
    mode === "key" ? { token: { token: apiKey }, authSchemePreference: ["httpBearerAuth"] } : { credentials };
  const requestHandler = new NodeHttpHandler();
  return (client = new BedrockRuntimeClient({
    endpoint: url,
    region: "eu-west-1",
    maxAttempts: 1,
    requestHandler,
    ...auth,
  }));
}

interface Setup {
  model?: string;
  env?: Readonly<Record<string, string>>;
  provider?: Readonly<Record<string, unknown>>;
}

export function ask(url: string, request: ProviderRequest, { model = profile, env, provider = {} }: Setup = {}) {
  const adapter = adapterFor({
    type: "bedrock",
    model,
    provider: { base_url: url, region: "eu-west-1", ...provider },
    env: env ?? { AWS_BEARER_TOKEN_BEDROCK: apiKey },
  });
  return adapter.complete(request, { signal: new AbortController().signal });
}

export function bothRequests({ requests }: LoopbackServer): { ofSdk: ReceivedRequest; ofAdapter: ReceivedRequest } {
  const [ofSdk, ofAdapter] = requests;
  if (ofSdk === undefined || ofAdapter === undefined) throw new Error("Two requests were expected");
  return { ofSdk, ofAdapter };
}

export function writeEvents(response: ServerResponse, frames: readonly Buffer[]): void {
  response.writeHead(200, { "content-type": "application/vnd.amazon.eventstream", "x-amzn-requestid": "req_s" });
  for (const frame of frames) response.write(frame);
}

export async function collect({ stream = [] }: { stream?: AsyncIterable<ConverseStreamOutput> | readonly never[] }) {
  const events: ConverseStreamOutput[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

export const simple = {
  modelId: profile,
  messages: [{ role: "user", content: [{ text: "Hi" }] }],
} satisfies ConverseCommandInput;
