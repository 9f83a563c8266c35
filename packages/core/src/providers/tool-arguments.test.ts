import { expect, it } from "vitest";
import {
  assembleToolInput,
  parseToolArguments,
  readToolArguments,
  toArgumentsObject,
  toArgumentsText,
  toolCallId,
} from "./tool-arguments.js";

it("reads JSON, and takes nothing for no arguments", () => {
  expect(parseToolArguments('{"a":[1]}')).toEqual({ args: { a: [1] } });
  expect(parseToolArguments("")).toEqual({ args: {} });
  expect(parseToolArguments(" \n")).toEqual({ args: {} });
  expect(parseToolArguments("null")).toEqual({ args: null });
});

it("keeps what is not JSON, with the reason", () => {
  const { args, malformed } = parseToolArguments('{"order_id": ORD-1}');
  expect(args).toBeUndefined();
  expect(malformed?.raw).toBe('{"order_id": ORD-1}');
  expect(malformed?.reason).toMatch(/JSON/);
});

it("reads arguments as text or parsed, and puts pieces together to either", () => {
  expect(readToolArguments('{"a":1}')).toEqual({ args: { a: 1 } });
  expect(readToolArguments({ a: 1 })).toEqual({ args: { a: 1 } });
  expect(readToolArguments(null)).toEqual({ args: {} });
  expect(assembleToolInput('{"a":1}')).toEqual({ a: 1 });
  expect(assembleToolInput('{"a":')).toBe('{"a":');
});

it("sends arguments back as the API takes them", () => {
  const call = { id: "1", tool: "t", args: { a: 1 } };
  const broken = { id: "2", tool: "t", ...parseToolArguments("{a") };
  expect([call, broken].map(toArgumentsText)).toEqual(['{"a":1}', "{a"]);
  expect([call, broken, { ...call, args: [1] }].map(toArgumentsObject)).toEqual([{ a: 1 }, {}, {}]);
});

it.each([
  ["call_x", "call_x"],
  ["", "call_2_1"],
  [undefined, "call_2_1"],
])("names a call with the id %j", (given, id) => {
  expect(toolCallId(given, 2, 0)).toBe(id);
});
