import { describe, expect, it } from "vitest";
import { toPassthrough, passthroughContent } from "./passthrough-content.js";

const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAA" };
const bare = { type: "reasoning", id: "rs_2", summary: [] };
const open = { type: "reasoning", id: "rs_3", summary: [], content: [{ type: "reasoning_text", text: "Hm" }] };
const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "lookup", arguments: "{}" };
const message = { type: "message", id: "msg_1", role: "assistant", content: [] };
const commentary = { ...message, phase: "commentary" };

const kept = (output: readonly unknown[]): unknown => toPassthrough(output, "s")?.openai.output;

describe("toPassthrough", () => {
  it.each([
    ["nothing", []],
    ["a message", [message]],
    ["calls", [call, call]],
    ["a message and calls", [message, call]],
    ["a message whose phase is null", [{ ...message, phase: null }]],
    ["reasoning that the server did not give", [bare, message]],
    ["reasoning without what it was for", [reasoning]],
    ["an answer that reasoning follows", [message, reasoning]],
  ])("keeps no items of %s", (_name, output) => {
    expect(kept(output)).toBeUndefined();
  });

  it.each([
    ["encrypted reasoning", [reasoning, message, call]],
    ["open reasoning", [open, call]],
    ["a phase", [commentary, call]],
    ["several messages", [message, message]],
    ["a call with a namespace", [{ ...call, namespace: "crm" }]],
    ["a kind it does not know", [{ type: "web_search_call", id: "ws_1" }, message]],
  ])("keeps %s as it came", (_name, output) => {
    expect(kept(output)).toEqual(output);
  });

  it("takes the ids off when the reasoning that belongs to them cannot go back", () => {
    expect(kept([bare, commentary, call])).toEqual([
      { type: "message", role: "assistant", content: [], phase: "commentary" },
      { type: "function_call", call_id: "call_1", name: "lookup", arguments: "{}" },
    ]);
  });
});

describe("passthroughContent", () => {
  it("gives back what the same source kept, stored in between", () => {
    const stored: unknown = JSON.parse(JSON.stringify(toPassthrough([reasoning, message], "openai:gpt-5")));
    expect(passthroughContent(stored, "openai:gpt-5")).toEqual([reasoning, message]);
    expect(passthroughContent(stored, "azure:gpt-5")).toBeNull();
    expect(passthroughContent(stored, "openai:gpt-5-mini")).toBeNull();
  });

  it.each([undefined, null, "x", {}, { openai: {} }, { openai: { source: "s", output: "x" } }])(
    "finds none in %j",
    (data) => {
      expect(passthroughContent(data, "s")).toBeNull();
    },
  );
});
