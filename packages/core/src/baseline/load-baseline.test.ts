import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createRedactor } from "../redaction/redactor.js";
import { success } from "../result.js";
import { sampleEntry, sampleText } from "./__fixtures__/sample-baseline.js";
import { baselinePlace } from "./baseline-place.js";
import { createBaselineAnswers } from "../run/open-engine.js";
import { loadBaseline } from "./load-baseline.js";

let root = "";
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "kindlm-baselines-"));
  mkdirSync(path.join(root, ".kindlm", "baselines"), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true }));

const shown = path.join(".kindlm", "baselines", "orders.json");
const place = () => baselinePlace(root, "orders");
const text = sampleText([sampleEntry("orders/a@m")]);

describe("loadBaseline", () => {
  it("distinguishes none from one", async () => {
    expect(await loadBaseline(place())).toEqual({ status: "none" });
    writeFileSync(place().path, text);
    expect(await loadBaseline(place())).toMatchObject({ status: "sound" });
  });

  it.each<[string, () => void, object]>([
    [
      "a folder",
      () => mkdirSync(place().path),
      { message: `The baseline ${shown} is a folder`, details: { hint: "Move it away" } },
    ],
    ["an empty file", () => writeFileSync(place().path, ""), { message: `The baseline ${shown} is empty` }],
    [
      "a huge file",
      () => {
        writeFileSync(place().path, "");
        truncateSync(place().path, 300 * 1024 * 1024);
      },
      { message: `The baseline ${shown} is larger than 256 MiB` },
    ],
    [
      "that of another suite",
      () => writeFileSync(place().path, text),
      { message: `The baseline ${path.join(".kindlm", "baselines", "other.json")} belongs to suite "orders"` },
    ],
  ])("says that it cannot use %s", async (name, prepare, error) => {
    prepare();
    const other = { ...place(), suite: "other", shown: path.join(".kindlm", "baselines", "other.json") };
    const loaded = await loadBaseline(name === "that of another suite" ? other : place());
    expect(loaded).toMatchObject({ status: "unusable", error: { code: "BASELINE_CORRUPT", ...error } });
  });

  it("reports a version that it does not know", async () => {
    writeFileSync(place().path, text.replace('"schemaVersion": 1', '"schemaVersion": 4'));
    expect(await loadBaseline(place())).toMatchObject({
      status: "unusable",
      error: {
        code: "BASELINE_VERSION_MISMATCH",
        message: `The baseline ${shown} has version 4, but this KindLM reads versions 1 to 3`,
        details: { suite: "orders", found: 4, supported: 3 },
      },
    });
  });
});

describe("createBaselineAnswers", () => {
  const { redact } = createRedactor([]);

  it("gives the answer of a case, and null where there is none", async () => {
    const unread = createBaselineAnswers(root, redact);
    expect(await unread.answerOf("orders", "orders/a@m")).toEqual(success(null));
    writeFileSync(place().path, sampleText([sampleEntry("orders/a@m"), sampleEntry("orders/b@m", { output: "" })]));
    const { answerOf } = createBaselineAnswers(root, redact);
    expect(await answerOf("orders", "orders/a@m")).toEqual(success(sampleEntry("x").output));
    expect(await answerOf("orders", "orders/b@m")).toEqual(success(""));
    expect(await answerOf("orders", "orders/c@m")).toEqual(success(null));
    // Read once.
    rmSync(place().path);
    expect(await answerOf("orders", "orders/b@m")).toEqual(success(""));
    expect(await unread.answerOf("orders", "orders/a@m")).toEqual(success(null));
  });

  it("fails where the baseline is damaged", async () => {
    writeFileSync(place().path, "{");
    const { answerOf } = createBaselineAnswers(root, redact);
    expect(await answerOf("orders", "orders/a@m")).toMatchObject({
      success: false,
      error: { code: "BASELINE_CORRUPT" },
    });
  });
});
