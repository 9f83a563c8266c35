import { describe, expect, it } from "vitest";
import { makeProject } from "../__fixtures__/make-project.js";
import { mergeRuns } from "../commands/merge-runs.js";
import { canaries, plainSettings, runForUpload, uploadedProject, uploadOf } from "./__fixtures__/uploaded-runs.js";
import { caseDocumentSchema } from "./case-document.js";
import { mergeUploads } from "./merge-uploads.js";
import { runDocumentSchema, type UploadDocument } from "./run-document.js";

const whole = runForUpload();

describe("an upload", () => {
  it("has everything that its schemas keep, and nothing else", async () => {
    const { run, cases } = await uploadOf((await whole).folder);
    expect(runDocumentSchema.parse(run)).toEqual(run);
    for (const one of cases) expect(caseDocumentSchema.parse(one)).toEqual(one);
    expect(run).toMatchObject({ project: "shop", verdict: "failed", cases: 15, summary: { total: 15, errored: 2 } });
    expect(cases.find(({ id }) => id === "verdicts/draws@first")).toMatchObject({ runs: 4, trials: { length: 4 } });
    expect(cases.filter(({ status }) => status === "errored")).toMatchObject([
      { error: { code: "PROVIDER_API_ERROR", by: "outside" } },
      {},
    ]);
  });

  it("quotes nothing that was said or written", async () => {
    const text = JSON.stringify(await uploadOf((await whole).folder));
    for (const [place, canary] of Object.entries(canaries)) expect(text.includes(canary), place).toBe(false);
  });

  it("has messages and transcripts if the user includes them", async () => {
    const { cases } = await uploadOf((await whole).folder, plainSettings(["messages", "transcripts"]));
    for (const one of cases) expect(caseDocumentSchema.parse(one)).toEqual(one);
    const text = JSON.stringify(cases);
    for (const canary of [canaries.answer, canaries.error, canaries.expected, canaries.reason]) {
      expect(text).toContain(canary);
    }
  });

  it("masks secrets in names and messages", async () => {
    const settings = plainSettings(["messages"]);
    const redact = (text: string): string => text.replaceAll("greets", "***").replaceAll(canaries.error, "***");
    const text = JSON.stringify(await uploadOf((await whole).folder, { ...settings, redact }));
    expect(text).not.toContain("greets");
    expect(text).not.toContain(canaries.error);
  });
});

describe("uploaded shards", () => {
  const ran = Promise.all([1, 2, 3].map((index) => runForUpload({ index, of: 3 })));
  const uploads = ran.then((all) => Promise.all(all.map(({ folder }) => uploadOf(folder))));

  it("give the run that kindlm merge makes of them, in any order", async () => {
    const folder = makeProject(uploadedProject);
    const merged = await mergeRuns({ paths: [], runs: (await ran).map(({ run }) => run) }, { env: {}, cwd: folder });
    if (!merged.success) throw new Error(JSON.stringify(merged.error));
    const expected = await uploadOf(folder);
    for (const order of [
      [0, 1, 2],
      [0, 2, 1],
      [1, 0, 2],
      [1, 2, 0],
      [2, 0, 1],
      [2, 1, 0],
    ]) {
      const parts = await uploads;
      const documents = order.flatMap((index): UploadDocument[] => parts.slice(index, index + 1));
      const made = await mergeUploads(expected.run.run, documents);
      if (!made.success) throw new Error(JSON.stringify(made.error));
      expect(made.data.run.mergedFrom).toHaveLength(3);
      expect(made.data.run).toEqual(expected.run);
      expect(made.data.cases).toEqual(expected.cases);
    }
  });

  it("stay apart with the reason of core", async () => {
    const [one, two, three] = await uploads;
    if (one === undefined || two === undefined || three === undefined) throw new Error("no shards");
    const seed = { ...three, run: { ...three.run, seed: three.run.seed + 1 } };
    expect(await mergeUploads("m", [one, two])).toMatchObject({ error: { message: "Shard 3 of 3 is missing" } });
    expect(await mergeUploads("m", [one, two, seed])).toMatchObject({
      error: { message: expect.stringContaining("have different seeds") as string },
    });
    const compares = [one, two, three].map((part) => ({
      ...part,
      run: { ...part.run, rules: { gates: { regressions: 0 } } },
    }));
    expect(await mergeUploads("m", compares)).toMatchObject({
      error: { message: "Gate regressions compares with a baseline, which the server does not have" },
    });
  });
});
