import { expect, it } from "vitest";
import { toFinishReason } from "./to-finish-reason.js";

const names = { END: "stop", CUT: "length" } as const;

it.each([
  ["END", false, { unified: "stop", raw: "END" }],
  ["END", true, { unified: "tool_calls", raw: "END" }],
  ["CUT", true, { unified: "length", raw: "CUT" }],
  ["NEW", true, { unified: "other", raw: "NEW" }],
  ["constructor", false, { unified: "other", raw: "constructor" }],
  [null, false, { unified: "other", raw: null }],
  ["", false, { unified: "other", raw: null }],
  [undefined, true, { unified: "tool_calls", raw: null }],
])("reads %j, with calls: %j", (value, hasCalls, reason) => {
  expect(toFinishReason(names, value, hasCalls)).toEqual(reason);
});
