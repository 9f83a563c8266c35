import { describe, expect, it } from "vitest";
import { createLineProblems } from "./create-line-problems.js";

describe("createLineProblems", () => {
  it("is no error where nothing is wrong", () => {
    const problems = createLineProblems("labels", ["a.jsonl"]);
    expect(problems.add("a.jsonl", 1, [])).toBe(true);
    expect(problems.error()).toBeNull();
  });

  it("keeps every problem with its place, and counts lines", () => {
    const problems = createLineProblems("labels", ["a.jsonl", "b.jsonl"]);
    expect(problems.add("a.jsonl", 3, [{ message: "no label", hint: "Add one" }, { message: "no output" }])).toBe(true);
    expect(problems.error()).toMatchObject({
      code: "TRANSCRIPT_INVALID",
      message: "1 line of the labels cannot be used",
      details: {
        path: "a.jsonl, b.jsonl",
        diagnostics: [
          { message: "no label", hint: "Add one", position: { file: "a.jsonl", line: 3 } },
          { message: "no output", position: { file: "a.jsonl", line: 3 } },
        ],
      },
    });
  });

  it("ends the reading of a file that is something else, and says so", () => {
    const problems = createLineProblems("transcripts", ["movie.mp4"]);
    const goesOn = Array.from({ length: 10_001 }, (_, index) =>
      problems.add("movie.mp4", index + 1, [{ message: "not JSON" }]),
    );
    expect(goesOn.indexOf(false)).toBe(9_999);
    expect(goesOn.at(-1)).toBe(false);
    const error = problems.error();
    const diagnostics = error?.code === "TRANSCRIPT_INVALID" ? (error.details?.diagnostics ?? []) : [];
    expect(diagnostics).toHaveLength(10_001);
    expect(diagnostics.at(-1)).toMatchObject({
      message: "Reading stopped after 10000 such lines",
      position: { file: "movie.mp4", line: 10_000 },
    });
  });
});
