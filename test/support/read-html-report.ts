import { inflateRawSync } from "node:zlib";
import type { ReportCase, ReportIndex } from "../../packages/viewer/src/report-data.js";
import type { ReportDetail } from "../../packages/viewer/src/report-detail.js";

/** What an HTML report contains, as its page reads it. */
export interface HtmlReport {
  index: ReportIndex;
  /** In the order of the index. */
  details: readonly ReportDetail[];
  /** What its data takes in the file. */
  dataBytes: number;
  /** All data as text, for what looks for something in it. */
  text: string;
  /** The case whose ID contains this text, and its trials. */
  find(id: string): { case: ReportCase; detail: ReportDetail };
}

export function readHtmlReport(html: string): HtmlReport {
  const parts = new Map<string, string>();
  let dataBytes = 0;
  for (const [, id = "", data = ""] of html.matchAll(
    /<script type="text\/plain" id="report-(index|chunk-\d+)">([^<]*)</g,
  )) {
    dataBytes += data.length;
    parts.set(id, inflateRawSync(Buffer.from(data, "base64")).toString("utf8"));
  }
  const index = JSON.parse(parts.get("index") ?? "") as ReportIndex;
  const chunks = Array.from({ length: parts.size - 1 }, (_, number) => parts.get(`chunk-${number}`) ?? "");
  const details = chunks.flatMap((chunk) => chunk.split("\n").map((line) => JSON.parse(line) as ReportDetail));
  return {
    index,
    details,
    dataBytes,
    text: [...parts.values()].join("\n"),
    find(id) {
      const place = index.cases.findIndex((one) => one.id.includes(id));
      const [found, detail] = [index.cases[place], details[place]];
      if (found === undefined || detail === undefined) throw new Error(`The report has no case ${id}`);
      return { case: found, detail };
    },
  };
}
