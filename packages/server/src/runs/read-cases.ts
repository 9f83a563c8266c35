import { caseDocumentSchema, type CaseDocument } from "@kindlm/core/upload";
import { sql } from "kysely";
import * as z from "zod";
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
  /** Of the cases of the run, which are in the order of the upload. */
  place: number;
  document: CaseDocument;
}

interface BlockRow {
  place: number;
  document: Uint8Array;
}

/** Earlier versions of the server stored each case by itself. */
const blockSchema = z.union([z.array(z.unknown()), z.unknown().transform((one) => [one])]);

/** The cases of a block that are wanted. What is not wanted is not checked. */
function readBlock({ place, document }: BlockRow, isWanted: (place: number) => boolean): readonly StoredCase[] {
  const all = blockSchema.parse(inflateDocument(document)).map((one, index) => ({ one, place: place + index }));
  const wanted = all.filter((found) => isWanted(found.place));
  return wanted.map((found) => ({ place: found.place, document: caseDocumentSchema.parse(found.one) }));
}

/** Cases as they were uploaded, without messages and transcripts, in their order. */
export async function readCasePage(
  database: Database,
  run: RunPlace,
  { after, most }: { after: number; most: number },
): Promise<readonly StoredCase[]> {
  const { rows } = await sql<BlockRow>`
    select place, document from (
      select place, cases, document, sum(place + cases - greatest(place, ${after + 1}::bigint)) over (order by place) as until
      from trials
      where org_id = ${run.orgId} and day = ${run.day} and run_id = ${run.id} and place + cases > ${after + 1}::bigint
    ) as blocks
    where until - (place + cases - greatest(place, ${after + 1}::bigint)) < ${most} order by place`.execute(database);
  return rows.flatMap((row) => readBlock(row, (place) => place > after)).slice(0, most);
}

/** All cases of a run. */
export async function readCases(database: Database, run: RunPlace): Promise<readonly CaseDocument[]> {
  const found = await readCasePage(database, run, { after: 0, most: Number.MAX_SAFE_INTEGER });
  return found.map(({ document }) => document);
}

/** Null if the run has no case at this place. */
export async function readCase(database: Database, run: RunPlace, place: number): Promise<CaseDocument | null> {
  const row = await database
    .selectFrom("trials")
    .select(["place", "document"])
    .where("org_id", "=", run.orgId)
    .where("day", "=", run.day)
    .where("run_id", "=", run.id)
    .where("place", "<=", place)
    .orderBy("place", "desc")
    .executeTakeFirst();
  const [found] = row === undefined ? [] : readBlock(row, (one) => one === place);
  return found?.document ?? null;
}

/** Whether the run has a case. */
export async function hasCase(database: Database, run: RunPlace, caseId: string): Promise<boolean> {
  const found = await database
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
  return found !== undefined;
}

/** The messages and transcripts of a case; null if none were uploaded, or they were deleted. */
export async function readSpoken(
  database: Database,
  run: RunPlace,
  caseId: string,
): Promise<Pick<CaseDocument, "messages" | "transcripts"> | null> {
  const row = await database
    .selectFrom("cases as c")
    .innerJoin("transcripts as t", "t.case_key", "c.key")
    .innerJoin("runs as u", (join) => join.onRef("u.id", "=", "t.run_id").onRef("u.project_id", "=", "c.project_id"))
    .select("t.document")
    .where("c.org_id", "=", run.orgId)
    .where("c.case_id", "=", caseId)
    .where("t.org_id", "=", run.orgId)
    .where("t.day", "=", run.day)
    .where("t.run_id", "=", run.id)
    .executeTakeFirst();
  return row === undefined ? null : spokenSchema.parse(inflateDocument(row.document));
}

const spokenSchema = caseDocumentSchema.options[0].pick({ messages: true, transcripts: true });
