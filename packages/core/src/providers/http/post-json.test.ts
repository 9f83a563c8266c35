import { describe, expect, it } from "vitest";
import { createManualClock } from "../../__fixtures__/manual-clock.js";
import { postJson } from "./post-json.js";
import type { HttpReply, HttpTransport } from "./transport.js";

const identity = { name: "OpenAI", model: "m", apiKeyEnv: "OPENAI_API_KEY" };
const key = "canary-0123456789-abcdefghij";

async function ask(reply: Partial<HttpReply>, headers: Record<string, string> = { authorization: `Bearer ${key}` }) {
  const http: HttpTransport = {
    send: () =>
      Promise.resolve({ success: true, data: { status: 200, headers: {}, body: "{}", latencyMs: 1, ...reply } }),
    close: () => Promise.resolve(),
  };
  const post = { url: "http://127.0.0.1/v1", headers, body: {} };
  return postJson(identity, { http, clock: createManualClock() }, post, { signal: new AbortController().signal });
}

describe("postJson", () => {
  it.each([
    ["whole", `${key} is no valid key`],
    ["across the cut of the message", `${"x".repeat(190)}${key}`],
    ["many times", key.repeat(200)],
  ])("takes a key that the server repeats out of the error: %s", async (_name, body) => {
    const answered = await ask({ status: 400, body });
    expect(answered.success).toBe(false);
    expect(JSON.stringify(answered)).not.toContain(key.slice(0, 8));
  });

  it("takes every credential out, and nothing else", async () => {
    const headers = { "x-api-key": "canary-1-abcdef", "x-team": "canary-team", cookie: "canary-2-abcdef" };
    const answered = await ask({ status: 500, body: "canary-1-abcdef canary-team canary-2-abcdef" }, headers);
    expect(!answered.success && answered.error.message).toBe("OpenAI returned 500: [redacted] canary-team [redacted]");
  });

  it("takes every part of a signature out, as a server repeats them in what it would have signed", async () => {
    const signature = "canary5be0c7a1".repeat(4);
    const token = "canary-token/with+both==";
    const headers = {
      authorization: `AWS4-HMAC-SHA256 Credential=AKIACANARY/20261121/us-east-1/bedrock/aws4_request, SignedHeaders=host;x-amz-date, Signature=${signature}`,
      "x-amz-security-token": token,
      "x-amz-date": "20261121T000000Z",
    };
    const message = `The Canonical String should have been 'POST\n/model/a%253A0/converse\nx-amz-security-token:${token}\n' for AKIACANARY in us-east-1, not ${signature}`;
    const answered = await ask({ status: 403, body: JSON.stringify({ message }) }, headers);
    expect(!answered.success && answered.error.message).toBe(
      "OpenAI refused access (403): The Canonical String should have been 'POST\n/model/a%253A0/converse\nx-amz-security-token:[redacted]\n' for [redacted] in us-east-1, not [redacted]",
    );
    expect(JSON.stringify(answered).toLowerCase()).not.toContain("canary-");
  });

  it("hands a good body on as it is", async () => {
    const answered = await ask({ body: JSON.stringify({ echo: key }) });
    expect(answered.success && answered.data.json).toEqual({ echo: key });
  });
});
