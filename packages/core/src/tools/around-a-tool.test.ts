import { expect, it } from "vitest";
import { createManualClock } from "../__fixtures__/manual-clock.js";
import { ToolRunner } from "./tool-runner.js";
import type { HandlerOutcome, ToolHandler } from "./tool-handler.js";

const circle: Record<string, unknown> = {};
circle["self"] = circle;
const toolOf = (createHandler: () => ToolHandler) => ({
  kind: "open" as const,
  name: "t",
  parameters: {},
  attributes: { readonly: false, no_effect: false },
  recommendations: {},
  timeoutMs: null,
  createHandler,
});
const answering = (execute: () => Promise<HandlerOutcome>) => toolOf(() => ({ execute }));
const unreadable: unknown = Object.create(null);

it.each([
  [
    "a handler that cannot be made",
    toolOf(() => {
      throw new Error("no room");
    }),
    "exception",
    /no room/,
  ],
  ["a result with a BigInt", answering(async () => ({ ok: true, value: 1n })), "exception", /BigInt/],
  ["a result that holds itself", answering(async () => ({ ok: true, value: circle })), "exception", /circular/],
  [
    "a throw before the first await",
    answering(() => {
      throw new Error("at once");
    }),
    "runtime",
    /at once/,
  ],
  ["a throw of what cannot be read", answering(() => Promise.reject(unreadable)), "runtime", /cannot be read/],
])("%s", async (_what, tool, errorType, message) => {
  const clock = createManualClock();
  const runtime = new ToolRunner({
    tools: [tool],
    style: "envelope",
    recommendations: null,
    timeoutMs: 5,
    clock,
    scope: {},
  });
  const { outcome } = await runtime.invoke({ id: "c", tool: "t", args: {} }, { signal: new AbortController().signal });
  expect(outcome).toMatchObject({
    failure: { errorType, retryable: true, message: expect.stringMatching(message) },
  });
  expect(clock.advanceToNext()).toBe(false);
});
