import { describe, expect, it } from "vitest";
import { decideCalibration, type JudgedLabel } from "./to-report.js";

/** Labels of each kind: human and judge pass, human alone, judge alone, neither. */
const judged = (both: number, human: number, judge: number, neither: number): JudgedLabel[] => [
  ...Array.from({ length: both }, () => labelOf("pass", "pass")),
  ...Array.from({ length: human }, () => labelOf("pass", "fail")),
  ...Array.from({ length: judge }, () => labelOf("fail", "pass")),
  ...Array.from({ length: neither }, () => labelOf("fail", "fail")),
];
const labelOf = (human: JudgedLabel["human"], judge: JudgedLabel["judge"]): JudgedLabel => ({
  human,
  judge,
  humanScore: null,
  score: judge === "pass" ? 1 : 0,
});

describe("decideCalibration", () => {
  it("reports agreement, kappa and confusion", () => {
    // The example of Wikipedia on Cohen's kappa: 50 proposals, kappa 0.4.
    const decided = decideCalibration(judged(20, 5, 10, 15), 0, {});
    expect(decided.agreement?.rate).toBeCloseTo(0.7, 12);
    expect(decided.kappa?.value).toBeCloseTo(0.4, 12);
    expect(decided.confusion).toEqual({ pass: { pass: 20, fail: 5 }, fail: { pass: 10, fail: 15 } });
    expect(decided).toMatchObject({ isPassing: true, reasons: [], meanAbsoluteError: null });
  });

  it("reports how far off scores are, over the labels that have one", () => {
    const one = { ...labelOf("pass", "pass"), humanScore: 0.8, score: 1 };
    const other = { ...labelOf("fail", "fail"), humanScore: 0.4, score: 0 };
    expect(decideCalibration([one, other, labelOf("pass", "pass")], 0, {}).meanAbsoluteError).toBeCloseTo(0.3, 12);
  });

  it.each([
    ["agreement is missed", judged(7, 1, 1, 1), 0, { minAgreement: 0.9 }, "agreement is 0.8, expected at least 0.9"],
    ["kappa is missed", judged(20, 5, 10, 15), 0, { minKappa: 0.5 }, "kappa is 0.4, expected at least 0.5"],
    ["kappa cannot be told", judged(9, 0, 0, 0), 0, { minKappa: 0 }, "kappa is unknown, expected at least 0"],
    ["a label was not judged", judged(9, 0, 0, 9), 1, {}, "1 label could not be judged"],
    [
      "no label was judged",
      [],
      3,
      { minAgreement: 0 },
      "3 labels could not be judged; agreement is unknown, expected at least 0",
    ],
    ["there is no label", [], 0, {}, "there is no label"],
  ])("is not good enough where %s", (_why, labels, unjudged, gates, reasons) => {
    const decided = decideCalibration(labels, unjudged, gates);
    expect([decided.isPassing, decided.reasons.join("; ")]).toEqual([false, reasons]);
  });

  it("is good enough at the gate itself", () => {
    expect(decideCalibration(judged(20, 5, 10, 15), 0, { minAgreement: 0.7, minKappa: 0.39 }).isPassing).toBe(true);
  });
});
