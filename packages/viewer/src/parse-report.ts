import { reportFormatVersion, type ReportIndex } from "./report-data.js";
import type { ReportDetail } from "./report-detail.js";

export const damaged = "The data of this report is damaged. The file may have been cut off.";

/** Data that this page cannot show. */
class UnreadableReport extends Error {}

export function parseIndex(text: string): ReportIndex {
  const value = parseJson(text);
  if (isIndex(value)) return value;
  const version = isObject(value) && "formatVersion" in value ? String(value.formatVersion) : "unknown";
  throw new UnreadableReport(
    `The data has format ${version}, and this page reads format ${reportFormatVersion}. Make the report again with one version of KindLM.`,
  );
}

/** What went wrong, for a reader. */
export function describeProblem(problem: unknown): string {
  return problem instanceof Error ? problem.message : String(problem);
}

/** One line of a chunk. */
export function parseDetail(line: string): ReportDetail {
  const value = parseJson(line);
  if (isDetail(value)) return value;
  throw new UnreadableReport("The trials of this case are missing. The file may have been cut off.");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UnreadableReport(damaged);
  }
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** The version stands for all fields, since a format changes in no other way. */
function isIndex(value: unknown): value is ReportIndex {
  return isObject(value) && "formatVersion" in value && value.formatVersion === reportFormatVersion;
}

function isDetail(value: unknown): value is ReportDetail {
  return isObject(value) && "trials" in value && Array.isArray(value.trials);
}
