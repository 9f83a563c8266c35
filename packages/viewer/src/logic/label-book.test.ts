import { expect, it } from "vitest";
import { makeCase, makeIndex, makeTrial } from "../__fixtures__/make-report.js";
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
import { sampleTrials } from "./sample-trials.js";

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
  const cases = Array.from({ length: 100 }, (_, at) =>
    makeCase({ id: `s/${at}@gpt`, judged: at < 20 ? "pf-" : "ppp" }),
  );
  const index = makeIndex([...cases, makeCase({ id: "s/unjudged@gpt" })]);
  const letters = (size: number): string =>
    sampleTrials(index, "run-1", size)
      .map((one) => index.cases[one.case]?.judged?.[one.trial - 1])
      .toSorted((a = "", b = "") => a.localeCompare(b))
      .join("");
  expect(letters(10)).toBe("fffffppppp");
  expect(letters(50)).toBe(`${"f".repeat(20)}${"p".repeat(30)}`);
  expect(sampleTrials(index, "run-1")).toEqual(sampleTrials(index, "run-1"));
  expect(sampleTrials(index, "run-1")).not.toEqual(sampleTrials(index, "run-2"));
  expect(new Set(sampleTrials(index, "run-1").map((one) => `${one.case} ${one.trial}`)).size).toBe(50);
  expect(sampleTrials(makeIndex([makeCase()]), "run-1")).toEqual([]);
  const failing = makeIndex(cases.map((one) => ({ ...one, judged: one.judged === "ppp" ? "fff" : "fpf" })));
  expect(sampleTrials(failing, "run-1")).toHaveLength(50);
});
