import { describe, expect, it } from "vitest";
import type { HttpRequest } from "../providers/http/transport.js";
import { defaultRequestTimeouts } from "../providers/provider.js";
import { renderJudgePrompt } from "../assertions/judging/judge-prompt.js";
import { createRedactor } from "../redaction/redactor.js";
import { canonicalRequest, fillVolatile } from "./canonical-request.js";

const { redact } = createRedactor(["the-secret-value"]);
const asked = { provider: "openai", model: "gpt" };
const base: HttpRequest = {
  url: "http://one/v1",
  method: "POST",
  headers: { authorization: "Bearer 1" },
  body: '{"b":1,"a":[{"d":1,"c":2}]}',
  timeouts: defaultRequestTimeouts,
};

function keyOf(change: Partial<HttpRequest>, who: { provider: string; model: string } | null = asked): string {
  return canonicalRequest({ ...base, ...change }, { asked: who }, redact).request;
}

describe("the key of a request to a model", () => {
  it("is another one if its tokens are counted only", () => {
    const counted = canonicalRequest(base, { asked, isCount: true }, redact);
    expect(counted).toMatchObject({ ...asked, path: "count" });
    expect(counted.request).not.toBe(keyOf({}));
  });

  it.each<[string, Partial<HttpRequest>]>([
    ["address", { url: "https://two/v2?key=abc" }],
    ["headers", { headers: { authorization: "Bearer 2", "x-id": "7" } }],
    ["order of keys", { body: '{ "a": [{"c":2, "d":1}], "b": 1 }' }],
    ["deadlines", { timeouts: { ...defaultRequestTimeouts, requestMs: 1 } }],
  ])("does not depend on %s", (_name, change) => {
    expect(keyOf(change)).toBe(keyOf({}));
  });

  it.each<[string, Partial<HttpRequest>, { provider: string; model: string }]>([
    ["body", { body: '{"b":2,"a":[{"d":1,"c":2}]}' }, asked],
    ["order of a list", { body: '{"b":1,"a":[{"d":1},{"c":2}]}' }, asked],
    ["streaming", { sink: () => false }, asked],
    ["provider", {}, { ...asked, provider: "other" }],
    ["model", {}, { ...asked, model: "other" }],
  ])("depends on the %s", (_name, change, who) => {
    expect(keyOf(change, who)).not.toBe(keyOf({}));
  });
});

it("finds the question to a judge again when a secret in what is judged comes back as masked", () => {
  const ask = (output: string) => renderJudgePrompt({ task: "t", reply: "{}", trial: { output }, sees: "answer" });
  const recorded = ask("It is the-secret-value.");
  const replayed = ask(redact("It is the-secret-value."));
  expect(replayed.system).not.toBe(recorded.system);
  expect(keyOf({ body: JSON.stringify(replayed) })).toBe(keyOf({ body: JSON.stringify(recorded) }));
  expect(keyOf({ body: JSON.stringify(ask("It is another.")) })).not.toBe(keyOf({ body: JSON.stringify(recorded) }));
});

it("writes the request down with sorted keys, without secrets, and long pictures as their hash", () => {
  const body = JSON.stringify({ z: "the-secret-value", image: `data:image/png;base64,${"A".repeat(3_000)}`, a: 1 });
  const { body: kept, ...about } = canonicalRequest({ ...base, body }, { asked }, redact);
  expect(about).toEqual({ request: expect.stringMatching(/^[0-9a-f]{16}$/) as string, ...asked });
  expect(JSON.stringify(kept)).toMatch(
    /^\{"a":1,"image":"sha256:[0-9a-f]{64} of 3022 characters","z":"\[redacted\]"\}$/,
  );
});

it("knows a service by path and query, without keys, and without what is new in each run", () => {
  const request = { ...base, url: "https://agent/chat?api_key=x&q=s-1", body: "say s-1" };
  const service = canonicalRequest(request, { asked: null, volatile: { session: "s-1" } }, redact);
  const again = { ...request, url: "http://other:1/chat?q=s-2", body: "say s-2" };
  expect(canonicalRequest(again, { asked: null, volatile: { session: "s-2" } }, redact)).toEqual(service);
  expect(service).toMatchObject({ method: "POST", path: "/chat?q={{session}}", body: "say {{session}}" });
  expect(fillVolatile("say {{session}}", { session: "s-3" })).toBe("say s-3");
});
