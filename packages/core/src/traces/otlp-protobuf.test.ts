import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { spansOfProtobuf } from "./otlp-protobuf.js";

const recorded = readFileSync(new URL("../../../../test/fixtures/traces/langchain.spans.pb", import.meta.url));

it("rejects a message that was cut off, wherever that is", () => {
  expect(spansOfProtobuf(recorded)).toMatchObject({ success: true });
  for (let length = 1; length < recorded.length; length += 601) {
    expect([length, spansOfProtobuf(recorded.subarray(0, length)).success]).toEqual([length, false]);
  }
});

it("ends on bytes that mean nothing", () => {
  const values = Buffer.alloc(4096, 0x2a);
  for (const bytes of [values, Buffer.alloc(64, 0xff), Buffer.alloc(64), Buffer.from([0x0b])]) {
    expect(spansOfProtobuf(bytes)).toMatchObject({ success: false });
  }
});
