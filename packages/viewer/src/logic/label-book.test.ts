import { expect, it } from "vitest";
import { makeTrial } from "../__fixtures__/make-report.js";
import { exportLabel, judgesOf } from "./export-labels.js";
import {
  emptyBook,
  labelAt,
  labeledCases,
  parseScore,
  readLabels,
  storeLabels,
  undone,
  withLabel,
  type Label,
} from "./label-book.js";
import { judgedTrials, sampleTrials } from "./sample-trials.js";

const place = { case: "a/b@gpt", trial: 2, judge: null };

it("keeps a label, and takes changes back one by one", () => {
  const passed = withLabel(emptyBook, place, { verdict: "pass" });
  const failed = withLabel(passed, place, { verdict: "fail" });
  expect(labelAt(failed, place)?.verdict).toBe("fail");
  expect(labelAt(undone(failed), place)?.verdict).toBe("pass");
  expect(labelAt(undone(undone(failed)), place)).toBeNull();
  expect(undone(emptyBook)).toBe(emptyBook);
  expect(labelAt(failed, { ...place, trial: 3 })).toBeNull();
  expect(labelAt(failed, { ...place, judge: "tone" })).toBeNull();
});

it("forgets a label that says nothing any longer", () => {
  const noted = withLabel(withLabel(emptyBook, place, { verdict: "pass" }), place, { verdict: null });
  expect(noted.labels.size).toBe(0);
  expect(labelAt(undone(noted), place)?.verdict).toBe("pass");
});

it("takes a note back as a whole, not letter by letter", () => {
  let book = withLabel(emptyBook, place, { verdict: "fail" });
  for (const note of ["r", "ru", "rud", "rude"]) book = withLabel(book, place, { note });
  expect(labelAt(book, place)?.note).toBe("rude");
  expect(labelAt(undone(book), place)).toMatchObject({ verdict: "fail", note: "" });
});

it("comes back from what is kept, without what is no label", () => {
  const book = withLabel(emptyBook, place, { verdict: "fail", score: 0.3, note: "rude" });
  const kept: unknown = JSON.parse(storeLabels(book));
  expect(readLabels(kept).labels).toEqual(book.labels);
  expect(labeledCases(readLabels(kept))).toEqual(new Set(["a/b@gpt"]));
  const odd = [null, 1, {}, { ...place, verdict: "maybe", score: null, note: "" }, { ...place, score: 7 }];
  expect(readLabels([...odd, ...(Array.isArray(kept) ? kept : [])]).labels.size).toBe(1);
  expect(readLabels({}).labels.size).toBe(0);
});

it.each([
  ["0.5", 0.5],
  ["0,5", 0.5],
  [" 1 ", 1],
  [".25", 0.25],
  ["1.1", null],
  ["-1", null],
  ["", null],
  ["1e-1", null],
  ["half", null],
])("reads the score %j as %j", (text, score) => {
  expect(parseScore(text)).toBe(score);
});

const judge = { criteria: "Is polite", threshold: 0.7, votes: [] };
const judged = { type: "judge", pass: false, score: 0.4, message: "Too low" };
const label: Label = { ...place, verdict: "fail", score: null, note: "" };

it("exports a label as the calibration of judges reads it", () => {
  const trial = makeTrial({ assertions: [{ ...judged, id: "tone", judge }] });
  expect(JSON.parse(exportLabel({ ...label, note: "rude" }, trial, "run-1") ?? "")).toEqual({
    messages: [{ role: "user", content: "Hello" }],
    label: "fail",
    criteria: "Is polite",
    note: "rude",
    origin: { run: "run-1", case: "a/b@gpt", trial: 2 },
  });
});

it("exports the criteria of the judge that the label is about", () => {
  const trial = makeTrial({
    assertions: [
      { ...judged, id: "tone", judge },
      {
        type: "all_of",
        pass: true,
        score: 1,
        message: "",
        parts: [{ ...judged, judge: { ...judge, criteria: "Is brief" } }],
      },
    ],
  });
  expect(judgesOf(trial.assertions).map(({ name }) => name)).toEqual(["tone", "judge"]);
  expect(exportLabel({ ...label, judge: "judge" }, trial, "run-1")).toContain('"criteria":"Is brief"');
  expect(exportLabel({ ...label, verdict: null, score: 0.2 }, trial, "run-1")).toContain('"score":0.2,"criteria"');
});

it("exports no label that calibration could not read", () => {
  expect(exportLabel({ ...label, verdict: null, note: "odd" }, makeTrial(), "run-1")).toBeNull();
  expect(exportLabel(label, makeTrial({ messages: [], rows: null }), "run-1")).toBeNull();
  expect(exportLabel(label, makeTrial(), "run-1")).not.toContain("criteria");
});

it("names judges apart that have one name", () => {
  const twice = [
    { ...judged, judge },
    { ...judged, judge, userTurn: 2 },
    { ...judged, judge },
  ];
  expect(judgesOf(twice).map(({ name }) => name)).toEqual(["judge", "judge, user turn 2", "judge 2"]);
});

it("samples as many trials that passed their judges as did not", () => {
  const judgedAs = (passed: number, failed: number) =>
    Array.from({ length: passed + failed }, (_, at) => ({ case: at, trial: 1, isPassed: at < passed }));
  const countsOf = (passed: number, failed: number, size: number): readonly [number, number] => {
    const sample = sampleTrials(judgedAs(passed, failed), "run-1", size);
    expect(new Set(sample.map((one) => one.case)).size).toBe(sample.length);
    const good = sample.filter(({ isPassed }) => isPassed).length;
    return [good, sample.length - good];
  };
  expect(countsOf(100, 100, 50)).toEqual([25, 25]);
  expect(countsOf(100, 20, 50)).toEqual([30, 20]);
  expect(countsOf(3, 100, 50)).toEqual([3, 47]);
  expect(countsOf(2, 1, 50)).toEqual([2, 1]);
  expect(countsOf(0, 0, 50)).toEqual([0, 0]);
  const drawn = (seed: string) => sampleTrials(judgedAs(100, 100), seed, 50);
  expect(drawn("run-1")).toEqual(drawn("run-1"));
  expect(drawn("run-1")).not.toEqual(drawn("run-2"));
});

it("samples no trial that was not judged, or cannot be read", () => {
  const assertions = [{ ...judged, judge }];
  const trials = [
    makeTrial({ trial: 1 }),
    makeTrial({ trial: 2, assertions }),
    makeTrial({ trial: 3, assertions, messages: [] }),
    makeTrial({ trial: 4, assertions: [{ ...judged, judge, pass: true }] }),
  ];
  expect(judgedTrials({ command: "", trials }, 7)).toEqual([
    { case: 7, trial: 2, isPassed: false },
    { case: 7, trial: 4, isPassed: true },
  ]);
});
