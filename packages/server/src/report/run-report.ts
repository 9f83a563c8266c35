import { restoreRun, restoreTrials, type CaseDocument, type RunDocument } from "@kindlm/core/upload";
import { createIndex, describeTrial, findAll } from "../../../cli/build/report.js";
import type { Database } from "../database/tables.js";
import { readCase, readCasePage, readSpoken, type RunPlace } from "../runs/read-cases.js";

/** A run with more cases is listed in pages instead: a browser would need too long for the report. */
export const mostReportedCases = 20_000;

/** Read at once. In between, the server answers others. */
const casesAtOnce = 250;

const asUploaded = (text: string): string => text;
const asTyped = (text: string): string => text.replaceAll(/\bkindlm(?= [a-z])/g, "npx kindlm");

export interface ReportedRun extends RunPlace {
  document: RunDocument;
}

/** What the report says in place of transcripts. */
const noTranscripts =
  "Transcripts were not uploaded with this run, or were deleted since. To send them, use kindlm upload --transcripts; the project must accept them.";
const forbiddenTranscripts = "Your role shows measurements only. Ask an owner of the organization for another role.";

interface Reader {
  database: Database;
  /** Whether the reader may see messages and transcripts. */
  seesTranscripts: boolean;
}

/** The index of the report of a run, as the HTML report has it, as JSON. */
export async function describeRunReport(reader: Reader, run: ReportedRun): Promise<string> {
  const cases: CaseDocument[] = [];
  const places = new Map<string, number>();
  for (let after = 0; ;) {
    // One page after the other: others read and write in between.
    const page = await readCasePage(reader.database, run, { after, most: casesAtOnce });
    for (const { place, document } of page) {
      cases.push(document);
      places.set(document.id, place);
    }
    after = page.at(-1)?.place ?? 0;
    if (page.length < casesAtOnce) break;
  }
  const { seesTranscripts } = reader;
  try {
    return await describeIndex(reader, run, { cases, places });
  } catch (error) {
    // Anyone can upload anything as a transcript. The measurements were checked.
    if (!seesTranscripts) throw error;
    return describeIndex({ ...reader, seesTranscripts: false }, run, { cases, places });
  }
}

interface ReadCases {
  cases: readonly CaseDocument[];
  places: ReadonlyMap<string, number>;
}

async function describeIndex(
  { database, seesTranscripts }: Reader,
  run: ReportedRun,
  { cases, places }: ReadCases,
): Promise<string> {
  const byId = new Map(cases.map((one) => [one.id, one]));
  const hasSpoken = seesTranscripts && run.document.include.length > 0;
  const spokenOf = (one: CaseDocument) => (hasSpoken ? readSpoken(database, run, one.id) : null);
  const worded: CaseDocument[] = [];
  for (const one of cases) {
    // One after the other: transcripts are large, and of them only the words of the error stay.
    const { messages } = (one.status === "passed" ? null : await spokenOf(one)) ?? {};
    worded.push(messages === undefined ? one : { ...one, messages });
  }
  const result = restoreRun(run.document, worded, async (id) => {
    const found = byId.get(id) ?? null;
    return found === null ? null : { ...found, ...(await spokenOf(found)) };
  });
  const options = { redact: asUploaded, asTyped };
  const index = await createIndex(result, options, {
    findings: await findAll(result, options),
    comparisons: [],
    activities: new Map(),
    notes: [],
    lettersOf: (test) => lettersOf(byId.get(test.id)),
  });
  const head = { ...index.head, noTranscript: asTyped(seesTranscripts ? noTranscripts : forbiddenTranscripts) };
  // The page asks for the trials of a case by its place in the upload.
  const inOrder = result.suites.flatMap(({ tests }) => tests.map(({ id }) => places.get(id)));
  return JSON.stringify({ ...index, head, chunkSize: 1, keys: inOrder });
}

/** How the trials of a case ended, a letter each; confirmation trials are not part of its result. */
function lettersOf(one: CaseDocument | undefined): string {
  if (one === undefined || one.status === "skipped") return "";
  return one.trials.flatMap(({ status, confirmation }) => (confirmation === true ? [] : status.charAt(0))).join("");
}

/** The trials of a case by its place in the upload, as the HTML report has them, as JSON; null if there is no such case. */
export async function describeCaseReport(
  { database, seesTranscripts }: Reader,
  run: ReportedRun,
  place: number,
): Promise<string | null> {
  const document = await readCase(database, run, place);
  if (document === null) return null;
  const command = `npx kindlm test -t '${document.id.replaceAll("'", String.raw`'\''`)}'`;
  if (document.status === "skipped") return JSON.stringify({ command, trials: [] });
  const describe = (of: typeof document): string =>
    JSON.stringify({
      command,
      trials: restoreTrials(of).map((trial) =>
        describeTrial(trial, { redact: asUploaded, asTyped, withTranscript: trial.messages.length > 0 }),
      ),
    });
  const spoken = seesTranscripts ? await readSpoken(database, run, document.id) : null;
  try {
    return describe({ ...document, ...spoken });
  } catch {
    return describe(document);
  }
}
