import { describe, expect, it } from "vitest";
import { filteredAnswer, isFilterReply } from "./filtered-answer.js";

const error = {
  message: "The response was filtered",
  type: null,
  param: "prompt",
  code: "content_filter",
  status: 400,
};

describe("isFilterReply", () => {
  it.each([
    [400, { error }, true],
    [500, { error }, false],
    [400, { error: { code: "invalid_prompt" } }, false],
    [400, { error: { code: null, innererror: { code: "content_filter" } } }, false],
    [400, { error: "content_filter" }, false],
    [400, ["content_filter"], false],
  ])("%i %j: %j", (status, body, expected) => {
    expect(isFilterReply(status, JSON.stringify(body))).toBe(expected);
  });

  it("gets along with a body that is no JSON", () => {
    expect(isFilterReply(400, '<html>"code":"content_filter"</html>')).toBe(false);
  });
});

it("is an answer without text that says why", () => {
  expect(filteredAnswer({ error, model: "gpt-x" })).toEqual({
    text: "",
    toolCalls: [],
    finishReason: { unified: "content_filter", raw: "content_filter" },
    usage: null,
    modelServed: "gpt-x",
  });
});
