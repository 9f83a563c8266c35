import { expect, it } from "vitest";
import { inBandError } from "./in-band-error.js";

const error = { code: 502, message: "Provider returned error" };

it.each([{ error }, { error, choices: [] }, { error, user_id: "u" }])("%j reports a failure", (json) => {
  expect(inBandError(json)).toEqual({ status: 502, body: JSON.stringify(json) });
});

it.each([{}, { error: null }, { error: "x" }, { error, choices: [{ message: { content: "Hi" } }] }])(
  "%j reports none",
  (json) => {
    expect(inBandError(json)).toBeNull();
  },
);
