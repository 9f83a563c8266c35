import { expect, it } from "vitest";
import { createGeminiAssembler } from "./from-response.js";

function feed(chunks: readonly Record<string, unknown>[]) {
  const assembler = createGeminiAssembler();
  const steps = chunks.map((data) => assembler.add({ name: null, data }).kind);
  return { steps, text: assembler.text, body: assembler.finish() };
}

function chunk(parts: readonly unknown[], about: Record<string, unknown> = {}, rest: Record<string, unknown> = {}) {
  return { candidates: [{ content: { role: "model", parts }, index: 0, ...about }], modelVersion: "m", ...rest };
}

const usageMetadata = { promptTokenCount: 4, candidatesTokenCount: 2 };

it("joins text, keeps signed parts apart, and takes the last usage", () => {
  const call = { functionCall: { name: "lookup", args: {} }, thoughtSignature: "sig" };
  const { steps, text, body } = feed([
    chunk([{ text: "Hm", thought: true }], {}, { usageMetadata: { promptTokenCount: 4 } }),
    chunk([{ text: ".", thought: true }]),
    chunk([{ text: "Let me " }]),
    chunk([{ text: "look." }, call]),
    chunk([{ text: "Done" }, { text: "", thoughtSignature: "s2" }]),
    chunk([{ text: "" }], { finishReason: "STOP" }, { usageMetadata, responseId: "r" }),
  ]);
  expect(steps).toEqual(["meta", "meta", "content", "content", "content", "end"]);
  expect(text).toBe("Let me look.Done");
  expect(body).toEqual({
    modelVersion: "m",
    responseId: "r",
    usageMetadata,
    candidates: [
      {
        index: 0,
        finishReason: "STOP",
        content: {
          role: "model",
          parts: [
            { text: "Hm.", thought: true },
            { text: "Let me look." },
            call,
            { text: "Done" },
            { text: "", thoughtSignature: "s2" },
            { text: "" },
          ],
        },
      },
    ],
  });
});

it("ends with an answer in one chunk, which counts as content", () => {
  const whole = chunk([{ text: "Hi" }], { finishReason: "STOP" }, { usageMetadata });
  expect(createGeminiAssembler().add({ name: null, data: whole })).toEqual({ kind: "end", hasContent: true });
  const { body } = feed([whole]);
  expect(body).toMatchObject({ candidates: [{ finishReason: "STOP", content: { parts: [{ text: "Hi" }] } }] });
});

it("waits for a usage that comes after the finish reason", () => {
  expect(feed([chunk([], { finishReason: "STOP" }), { usageMetadata }]).steps).toEqual(["meta", "end"]);
});

it("gives a blocked prompt as it came", () => {
  const blocked = { promptFeedback: { blockReason: "SAFETY" }, usageMetadata };
  expect(feed([blocked])).toEqual({ steps: ["end"], text: "", body: blocked });
});

it("has no body before the end", () => {
  expect(feed([]).body).toBeNull();
  expect(feed([chunk([{ text: "Hi" }])]).body).toBeNull();
});

it("keeps what is no part, so that the reader of the body refuses it", () => {
  expect(feed([chunk(["x"], { finishReason: "STOP" })]).body).toMatchObject({
    candidates: [{ content: { parts: ["x"] } }],
  });
});

it("knows an error by its number", () => {
  const error = { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" };
  expect(createGeminiAssembler().add({ name: null, data: { error } })).toEqual({
    kind: "error",
    status: 503,
    body: JSON.stringify({ error }),
  });
});
