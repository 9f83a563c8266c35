import { caseDocumentSchema, type CaseDocument } from "@kindlm/core/upload";
import type { Database } from "../database/tables.js";
import { inflateDocument } from "./compress-document.js";

/** Where the rows of a run are. */
export interface RunPlace {
  orgId: string;
  id: number;
  /** The day of the upload, counted from the epoch. */
  day: number;
}

export interface StoredCase {
  /** Orders the cases of a run. */
  key: number;
  document: CaseDocument;
}

const rowsOf = (database: Database, { orgId, id, day }: RunPlace) =>
  database
    .selectFrom("trials")
    .select(["case_key", "document"])
    .where("org_id", "=", orgId)
    .where("day", "=", day)
    .where("run_id", "=", id);

const read = ({ case_key, document }: { case_key: number; document: Uint8Array }): StoredCase => ({
  key: case_key,
  document: caseDocumentSchema.parse(inflateDocument(document)),
});

/** Cases as they were uploaded, without messages and transcripts, in the order of their keys. */
export async function readCasePage(
  database: Database,
  run: RunPlace,
  { after, most }: { after: number; most: number },
): Promise<readonly StoredCase[]> {
  const query = rowsOf(database, run).where("case_key", ">", after).orderBy("case_key").limit(most);
  return (await query.execute()).map(read);
}

/** Null if the run has no case of this key. */
export async function readCase(database: Database, run: RunPlace, key: number): Promise<CaseDocument | null> {
  const row = await rowsOf(database, run).where("case_key", "=", key).executeTakeFirst();
  return row === undefined ? null : read(row).document;
}

/** The key of a case of the run by its ID; null if the run does not have it. */
export async function findCaseKey(database: Database, run: RunPlace, caseId: string): Promise<number | null> {
  const row = await database
    .selectFrom("cases as c")
    .innerJoin("case_results as r", "r.case_key", "c.key")
    .innerJoin("runs as u", (join) => join.onRef("u.id", "=", "r.run_id").onRef("u.project_id", "=", "c.project_id"))
    .select("c.key")
    .where("c.org_id", "=", run.orgId)
    .where("r.org_id", "=", run.orgId)
    .where("c.case_id", "=", caseId)
    .where("r.day", "=", run.day)
    .where("r.run_id", "=", run.id)
    .executeTakeFirst();
  return row?.key ?? null;
}

/** The messages and transcripts of a case; null if none were uploaded, or they were deleted. */
export async function readSpoken(
  database: Database,
  run: RunPlace,
  key: number,
): Promise<Pick<CaseDocument, "messages" | "transcripts"> | null> {
  const row = await database
    .selectFrom("transcripts")
    .select("document")
    .where("org_id", "=", run.orgId)
    .where("day", "=", run.day)
    .where("run_id", "=", run.id)
    .where("case_key", "=", key)
    .executeTakeFirst();
  return row === undefined ? null : spokenSchema.parse(inflateDocument(row.document));
}

const spokenSchema = caseDocumentSchema.options[0].pick({ messages: true, transcripts: true });
