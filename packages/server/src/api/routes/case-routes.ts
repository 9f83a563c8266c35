import * as z from "zod";
import { caseDocumentSchema, runDocumentSchema } from "@kindlm/core/upload";
import { pageSize, parseCursor, renderCursor } from "../../history/cursor.js";
import { hasCase, readCasePage, readSpoken } from "../../runs/read-cases.js";
import { findComplete } from "../../runs/find-run.js";
import { notFound } from "../api-error.js";
import { defineRoute, noBody, noQuery, projectOf } from "../route.js";
import { errorReply, pageOf, runRowReply } from "./reply-schemas.js";

const path = "/projects/{project}/runs/{run}";
const shared = { method: "get", limit: "read", body: noBody } as const;

export const showRun = defineRoute({
  ...shared,
  path,
  scope: "runs:read",
  summary: "Show a run as it was uploaded, without its cases",
  query: noQuery,
  replies: { 200: z.object({ row: runRowReply, run: runDocumentSchema }), 404: errorReply },
  async handle({ world, params, ...call }) {
    const project = projectOf(call);
    const found = await findComplete(world.database, project, params["run"] ?? "");
    const { id: _id, day: _day, superseded_by: _replaced, document, ...row } = found;
    return { status: 200, body: { row, run: document } };
  },
});

export const listCases = defineRoute({
  ...shared,
  path: `${path}/cases`,
  scope: "runs:read",
  summary: "List the cases of a run with their trials, as they were uploaded, without messages and transcripts",
  query: z.object({
    after: z.string().optional(),
    most: z.coerce.number().int().min(1).max(pageSize).default(pageSize),
  }),
  replies: { 200: pageOf(caseDocumentSchema), 404: errorReply, 422: errorReply },
  async handle({ world: { database }, params, query: { after, most }, ...call }) {
    const project = projectOf(call);
    const { id, day } = await findComplete(database, project, params["run"] ?? "");
    const [, place] = after === undefined ? [0, 0] : parseCursor(after);
    const found = await readCasePage(database, { orgId: project.org_id, id, day }, { after: place, most: most + 1 });
    const items = found.slice(0, most);
    const last = items.at(-1);
    const next = found.length > most && last !== undefined ? renderCursor(0, last.place) : null;
    return { status: 200, body: { items: items.map(({ document }) => document), next } };
  },
});

const [ran] = caseDocumentSchema.options;
const { messages, transcripts } = ran.shape;

export const showTranscripts = defineRoute({
  ...shared,
  path: `${path}/cases/{case}/transcripts`,
  scope: "transcripts:read",
  summary: "Show the messages and transcripts of the trials of a case, if they were uploaded and are still kept",
  query: noQuery,
  replies: { 200: z.object({ case_id: z.string(), messages, transcripts }), 404: errorReply },
  async handle({ world: { database }, params, ...call }) {
    const project = projectOf(call);
    const caseId = params["case"] ?? "";
    const { id, day } = await findComplete(database, project, params["run"] ?? "");
    const run = { orgId: project.org_id, id, day };
    if (!(await hasCase(database, run, caseId))) throw notFound("Case");
    const spoken = await readSpoken(database, run, caseId);
    if (spoken === null) throw notFound("Transcript");
    return { status: 200, body: { case_id: caseId, ...spoken } };
  },
});
