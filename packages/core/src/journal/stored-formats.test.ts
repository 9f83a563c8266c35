import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { baselineEntryShape, baselineHeaderShape, baselineVersion } from "../baseline/baseline.js";
import type { AnyShape } from "../shape/shape.js";
import { canonicalJson } from "../values/canonical-json.js";
import { journalRecordShape, journalVersion } from "./journal-record.js";
import { runFileShape, runFileVersion } from "./run-file.js";

/**
 * The print of what each version of a format stores. A print that differs means that files of before cannot be read as
 * what they are, or those of now by the KindLM of before: raise the version in the source, and add a line here. Never change
 * a line.
 */
const prints = {
  journal: {
    2: "8efb3e314120c2c0",
    3: "af3d165cfc51ae9c",
    4: "c21068e8a93ba4f2",
    5: "540c887e79352764",
    6: "8bc23415f69b1e13",
    7: "43bedd3ef2ed201c",
    8: "5ab3ac36f60ba0c2",
    9: "1520bc3e59c4412a",
    10: "b01c960a4391a80a",
  },
  "run.json": {
    2: "073ca061a3c5da75",
    3: "a5ee8268609aac18",
    4: "c867196f32e96f9d",
    5: "7923be1a18a0cfab",
    6: "88d4a246698420bf",
    7: "d73f7bb2ca0f931e",
    8: "0429ab3ebf17680d",
    9: "baf128b5e7758af6",
    10: "e2dfd5af2770fe4d",
    11: "7ee372d6fb74f13e",
  },
  baseline: { 1: "8f741c906e5ba3fb", 2: "b86e71ccea1d552d", 3: "60bfacab00d7cf6c" },
};

function printOf(...shapes: readonly AnyShape[]): string {
  return createHash("sha256")
    .update(canonicalJson(shapes.map((shape) => shape.print())))
    .digest("hex")
    .slice(0, 16);
}

it.each([
  ["journal", journalVersion, prints.journal, printOf(journalRecordShape)],
  ["run.json", runFileVersion, prints["run.json"], printOf(runFileShape)],
  ["baseline", baselineVersion, prints.baseline, printOf(baselineHeaderShape, baselineEntryShape)],
])("stores in %s what its version says", (_, version, known, print) => {
  expect({ [version]: print }).toEqual({ [version]: new Map(Object.entries(known)).get(String(version)) });
});
