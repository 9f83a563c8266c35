import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { makeProject } from "../__fixtures__/make-project.js";
import { sendJson, startServer, type LoopbackServer } from "../__fixtures__/start-server.js";
import { completion } from "../__fixtures__/judged-project.js";
import { calibrateJudge } from "./calibrate-judge.js";
import type { CalibrateOptions } from "../calibrate/calibrate-options.js";

const script = (score: string) =>
  `provider: scripted, script: { otherwise: { json: { reasoning: r, score: ${score} } } }`;

const config = (judge: string, assert: string, more = ""): string => `version: 1
models:
  - { id: m, provider: scripted, script: { otherwise: { text: x } } }
  - { id: j, ${judge} }
  - { id: other, ${script("0.6")} }
defaults: { judge: j }
${more}
suites:
  - { name: s, tests: [{ name: t, input: hi, models: [m], vars: { what: Is kind }, assert: [${assert}] }] }
  - { name: u, tests: [{ name: v, input: hi, models: [m], assert: [{ type: contains, value: x }] }] }
`;

const judged = '{ type: judge, criteria: "{{what}}", threshold: 0.5 }';
const lines = (...labels: readonly object[]): string => labels.map((label) => JSON.stringify(label)).join("\n");
const two = lines({ output: "good", label: "pass" }, { output: "bad", label: "fail" });

interface Project {
  judge?: string;
  assert?: string;
  labels?: string;
  more?: string;
}

const projectOf = ({ judge = script("0.9"), assert = judged, labels = two, more = "" }: Project): string =>
  makeProject({ "kindlm.yaml": config(judge, assert, more), "labels.jsonl": labels });

const calibrate = (cwd: string, options: Partial<CalibrateOptions> = {}) =>
  calibrateJudge({ paths: [], labels: ["labels.jsonl"], test: "s/t", ...options }, { env: { KEY: "k" }, cwd });

async function reportOf(project: Project, options: Partial<CalibrateOptions> = {}, cwd = projectOf(project)) {
  const calibrated = await calibrate(cwd, options);
  if (!calibrated.success) throw new Error(JSON.stringify(calibrated.error));
  return calibrated.data;
}

const errorOf = async (project: Project, options: Partial<CalibrateOptions> = {}): Promise<string> => {
  const calibrated = await calibrate(projectOf(project), options);
  if (calibrated.success) throw new Error("calibrated");
  const { details, message } = calibrated.error;
  const diagnostics = details !== undefined && "diagnostics" in details ? details.diagnostics : [];
  return [message, JSON.stringify(diagnostics)].join(" ");
};

/** A judge that likes what is good, and says what it was asked. */
async function withJudge<T>(use: (judge: Project, server: LoopbackServer) => Promise<T>): Promise<T> {
  const server = await startServer(({ body }, response) =>
    body.includes("breaks")
      ? sendJson(response, 500, { error: { message: "broken" } })
      : sendJson(
          response,
          200,
          completion(JSON.stringify({ reasoning: "so", score: body.includes("good") ? 1 : 0.1 })),
        ),
  );
  const more = `providers: { live: { type: openai, base_url: "${server.url}", api_key_env: KEY, retry: disabled } }`;
  try {
    return await use({ judge: "provider: live, model: j, pricing: { input: 10, output: 100 }", more }, server);
  } finally {
    await server.close();
  }
}

describe("calibrateJudge", () => {
  it("has the judge of a test judge what people have judged", async () => {
    await withJudge(async (judge, server) => {
      const labels = lines(
        { output: "good", label: "pass" },
        { output: "bad", label: true },
        {
          messages: [
            { role: "user", content: "?" },
            { role: "assistant", content: "good" },
          ],
          score: 0.3,
        },
        { output: "bad", score: 0.2, label: "fail" },
      );
      const report = await reportOf({ ...judge, labels });
      expect(report).toMatchObject({ judge: "j", threshold: 0.5, samples: 1, labels: 4, judged: 4, isPassing: true });
      expect(report.confusion).toEqual({ pass: { pass: 1, fail: 1 }, fail: { pass: 1, fail: 1 } });
      expect(report.meanAbsoluteError).toBeCloseTo((0.7 + 0.1) / 2, 9);
      expect(report.disagreements).toEqual([
        {
          file: "labels.jsonl",
          line: 3,
          human: "fail",
          humanScore: 0.3,
          judge: "pass",
          score: 1,
          reasoning: "so",
          output: "good",
        },
        {
          file: "labels.jsonl",
          line: 2,
          human: "pass",
          humanScore: null,
          judge: "fail",
          score: 0.1,
          reasoning: "so",
          output: "bad",
        },
      ]);
      expect(report.judging).toMatchObject({ requests: 4, unpricedRequests: 0 });
      expect(report.judging?.costUsd).toBeCloseTo(0.008, 9);
      expect(server.requests.every(({ body }) => body.includes("Is kind"))).toBe(true);
    });
  });

  it.each<[what: string, options: Partial<CalibrateOptions>, expected: object]>([
    ["another judge", { model: "other" }, { judge: "other", disagreements: [{ score: 0.6 }] }],
    ["another threshold", { threshold: 0.95 }, { threshold: 0.95, confusion: { pass: { pass: 0, fail: 1 } } }],
    ["more samples", { samples: 3 }, { samples: 3, judging: { requests: 6 } }],
  ])("takes %s in place of that of the assertion", async (_what, options, expected) => {
    expect(await reportOf({}, options)).toMatchObject(expected);
  });

  it("needs no test where criteria are given, by the line or for all of them", async () => {
    await withJudge(async (judge, server) => {
      const labels = lines({ output: "good", label: "pass", criteria: "Is short" }, { output: "good", label: "pass" });
      const cwd = projectOf({ ...judge, labels });
      const calibrated = await calibrateJudge(
        { paths: [], labels: ["labels.jsonl"], criteria: "Is long" },
        { env: { KEY: "k" }, cwd },
      );
      expect(calibrated).toMatchObject({ success: true, data: { judge: "j", threshold: 0.7, judged: 2 } });
      expect(new Set(server.requests.map(({ body }) => /Is \w+/.exec(body)?.[0]))).toEqual(
        new Set(["Is long", "Is short"]),
      );
    });
  });

  it("keeps what could not be judged apart", async () => {
    await withJudge(async (judge) => {
      const labels = lines({ output: "good", label: "pass" }, { output: "breaks", label: "pass" });
      const report = await reportOf({ ...judge, labels });
      expect(report).toMatchObject({
        isPassing: false,
        labels: 2,
        judged: 1,
        disagreements: [],
        agreement: { rate: 1 },
      });
      expect(report.reasons).toEqual(["1 label could not be judged"]);
      expect(report.errors).toMatchObject([{ line: 2, error: { code: "JUDGE_EVAL_ERROR" } }]);
    });
  });

  it("does not let another judge stand in", async () => {
    await withJudge(async (judge) => {
      const labels = lines({ output: "breaks", label: "pass" });
      const report = await reportOf({ ...judge, judge: `${judge.judge ?? ""}, fallback: [other]`, labels });
      expect(report).toMatchObject({ judged: 0, errors: [{ line: 1 }] });
    });
  });

  it("records what the judge says, and asks again for what is new alone", async () => {
    await withJudge(async (judge, server) => {
      const cwd = projectOf(judge);
      const recorded = await reportOf({}, { cassette: "record" }, cwd);
      writeFileSync(`${cwd}/labels.jsonl`, `${lines({ output: "new", label: "fail" })}\r\n${two}\n\n`);
      const again = await reportOf({}, { cassette: "auto" }, cwd);
      expect(server.requests).toHaveLength(3);
      expect([recorded.judged, again.judged]).toEqual([2, 3]);
      const replayed = await reportOf({}, { cassette: "replay", maxCostUsd: 0.001 }, cwd);
      expect(server.requests).toHaveLength(3);
      expect(replayed.judged).toBe(3);
    });
  });

  it("stops where the budget is used up, and says so", async () => {
    await withJudge(async (judge) => {
      const report = await reportOf(judge, { maxCostUsd: 0.001, concurrency: 1 });
      expect(report).toMatchObject({ isPassing: false, judged: 1, errors: [{ line: 2 }] });
      expect(report.errors[0]?.error.message).toContain("max_cost of $0.001 is used up");
    });
  });

  it.each<[why: string, project: Project, options: Partial<CalibrateOptions>, problem: string]>([
    ["lines that are none", { labels: "nope\n[]\n" }, {}, "2 lines of the labels cannot be used"],
    ["no label", { labels: lines({ output: "x" }) }, {}, "neither label nor score"],
    [
      "a mistyped label",
      { labels: lines({ output: "x", lable: "pass" }) },
      {},
      'Is \\"lable\\" meant to be \\"label\\"?',
    ],
    ["another label", { labels: lines({ output: "x", label: "good" }) }, {}, 'must be \\"pass\\"'],
    ["a score in percent", { labels: lines({ output: "x", score: 80 }) }, {}, "a number from 0 to 1"],
    ["nothing to judge", { labels: lines({ label: "pass" }) }, {}, '{\\"output\\": \\"…\\", \\"label\\"'],
    ["a file that is missing", {}, { labels: ["no.jsonl"] }, "File not found: no.jsonl"],
    ["an unknown test", {}, { test: "s/tt" }, 'Did you mean \\"s/t\\"?'],
    ["a test without a judge", {}, { test: "v" }, 'The test "v" has no judge assertion'],
    ["an unknown judge", {}, { model: "othr" }, 'Did you mean \\"other\\"?'],
    ["two assertions", { assert: `${judged}, ${judged}` }, {}, 'The test "s/t" has 2 judge assertions'],
    [
      "an unknown assertion",
      { assert: "{ type: judge, id: tone, criteria: c }" },
      { assertion: "ton" },
      'Did you mean \\"tone\\"?',
    ],
  ])("fails with %s", async (_why, project, options, problem) => {
    expect(await errorOf(project, options)).toContain(problem);
  });

  it("reports a mistyped label once, and not as an unknown part of the conversation", async () => {
    const said = await errorOf({ labels: lines({ output: "x", ladel: "pass" }) });
    expect(said).toContain('Is \\"ladel\\" meant to be \\"label\\"?');
    expect(said).not.toContain("Unknown key");
  });

  it("names the line for which nothing says what to judge by", async () => {
    const labels = lines({ output: "x", label: "pass", criteria: "c" }, { output: "x", label: "pass" });
    const cwd = projectOf({ labels });
    const calibrated = await calibrateJudge({ paths: [], labels: ["labels.jsonl"] }, { env: {}, cwd });
    const message = "The judge has no criteria";
    const diagnostics = [{ message, hint: expect.any(String), position: { file: "labels.jsonl", line: 2 } }];
    expect(calibrated).toMatchObject({ error: { message, details: { diagnostics } } });
  });

  it("chooses one of several assertions by its id, in groups too", async () => {
    const assert = `{ any_of: [{ type: judge, id: tone, criteria: a, threshold: 0.1 }, { type: judge, id: facts, criteria: b, model: other }] }`;
    expect(await reportOf({ assert }, { assertion: "facts" })).toMatchObject({ judge: "other", threshold: 0.7 });
  });
});
