import { expect, it } from "vitest";
import { spansOfJson } from "../traces/otlp-json.js";
import { spansOfProtobuf } from "../traces/otlp-protobuf.js";
import { encodeRequest, renderRequest } from "./otlp-request.js";
import type { SentSpan } from "./sent-span.js";

const traceId = "0af7651916cd43dd8448eb211c80319c";

const span: SentSpan = {
  traceId,
  spanId: "b7ad6b7169203331",
  parentId: "00f067aa0ba902b7",
  name: "chat größe",
  kind: "client",
  startMs: 1_760_000_000_123.25,
  endMs: 1_760_000_000_125,
  attributes: {
    text: "x".repeat(300),
    count: 70_000,
    negative: -2,
    share: 0.25,
    on: true,
    list: ["a", ""],
    none: undefined,
  },
  events: [{ name: "gen_ai.evaluation.result", atMs: 1_760_000_000_125, attributes: { "score.value": { double: 1 } } }],
  links: [{ traceId: "1".repeat(32), spanId: "2".repeat(16) }],
  error: "it failed",
};

it("says in Protocol Buffers what it says in JSON", () => {
  const request = renderRequest([span, { ...span, parentId: null, events: [], links: [] }], { "service.name": "shop" });
  const told = spansOfJson(JSON.stringify(request));
  expect(spansOfProtobuf(encodeRequest(request))).toEqual(told);
  expect(told).toMatchObject({
    success: true,
    data: [
      {
        traceId,
        parentId: "00f067aa0ba902b7",
        name: "chat größe",
        startMs: 1_760_000_000_123.25,
        links: ["1".repeat(32)],
        error: "it failed",
      },
      { parentId: null },
    ],
  });
  const [first] = told.success ? told.data : [];
  expect(Object.fromEntries(first?.attributes ?? [])).toEqual({
    text: "x".repeat(300),
    count: 70_000,
    negative: -2,
    share: 0.25,
    on: true,
    list: ["a", ""],
  });
  expect(first?.resource.get("service.name")).toBe("shop");
});
