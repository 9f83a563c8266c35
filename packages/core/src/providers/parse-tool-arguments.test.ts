import { expect, it } from "vitest";
import { parseToolArguments } from "./parse-tool-arguments.js";

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
