import { expect, it } from "vitest";
import { parseDetail, parseIndex } from "./parse-report.js";

it("reads an index of its own format", () => {
  expect(parseIndex('{"formatVersion":1,"cases":[]}').cases).toEqual([]);
});

it.each([
  ['{"formatVersion":2}', "format 2"],
  ["{}", "format unknown"],
  ["null", "format unknown"],
  ['{"formatVer', "damaged"],
])("says why it cannot read %s", (text, reason) => {
  expect(() => parseIndex(text)).toThrow(reason);
});

it.each([
  ['{"command":"kindlm test","trials":[]}', null],
  ["{}", "missing"],
  ["", "damaged"],
])("reads a case or says why not: %s", (line, reason) => {
  if (reason === null) expect(parseDetail(line).trials).toEqual([]);
  else expect(() => parseDetail(line)).toThrow(reason);
});
