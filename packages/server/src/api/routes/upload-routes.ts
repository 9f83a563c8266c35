import { mostParts } from "@kindlm/core/upload";
import * as z from "zod";
import { noteAction } from "../../auth/audit.js";
import { inTransaction } from "../../database/retry-conflicts.js";
import { makePartitions } from "../../database/partitions.js";
import type { ProjectRow } from "../../database/tables.js";
import { inflateDocument } from "../../runs/compress-document.js";
import { insertRun, type RunUpload, type Stored } from "../../runs/insert-run.js";
import { packedCasesSchema, type PackedCases } from "../../runs/pack-cases.js";
import { finishRun, storeWhole } from "../../runs/store-run.js";
import { storeCases } from "../../runs/store-cases.js";
import { uploadBody } from "../../uploads/read-upload.js";
import { uploadReaders } from "../../uploads/upload-readers.js";
import { conflict, invalid, notFound } from "../api-error.js";
import { defineRoute, noBody, noQuery, projectOf, type ApiWorld, type Reply } from "../route.js";
import { errorReply, runReply } from "./reply-schemas.js";

const path = "/projects/{project}/runs/{run}";
const replies = { 200: runReply, 201: runReply, 409: errorReply, 413: errorReply, 422: errorReply };

export const putRun = defineRoute({
  method: "put",
  path,
  summary: "Upload a run: the head, and all cases if they fit into one request",
  scope: "runs:write",
  limit: "write",
  body: noBody,
  sentBody: uploadBody,
  query: noQuery,
  replies,
  async handle({ world, caller, params, sent, ...call }) {
    const project = projectOf(call);
    const { run, cases, digest } = await uploadReaders.read("run", sent);
    if (run.run !== params["run"]) throw invalid("The run in the path is not the one in the body");
    for (const include of [...run.include, ...(cases?.includes ?? [])]) requireAccepted(project, include);
    const upload: RunUpload = { project, run, digest, nowMs: world.now(), origin: world.origin() };
    const state = cases === null ? "uploading" : "complete";
    if (cases !== null) checkCases([cases], run.cases);
    const stored =
      cases === null
        ? await beginUpload(world, upload)
        : await inTransaction(world.database, (work) => storeWhole(work, upload, cases));
    if (stored === "replaced") await noteAction(world, caller, "run.replace", run.run);
    return replyTo(stored, state, upload, world);
  },
});

function requireAccepted({ accepts, name }: ProjectRow, include: string): void {
  if (accepts.split(" ").includes(include)) return;
  throw invalid(`Project "${name}" does not accept ${include}`, [
    { path: "body.run.include", code: "custom", message: `Remove ${include} from upload.include` },
  ]);
}

function checkCases(packed: readonly PackedCases[], expected: number): void {
  const ids = packed.flatMap((part) => part.ids);
  if (ids.length !== expected) throw invalid(`The run has ${expected} cases, but ${ids.length} were sent`);
  if (new Set(ids).size !== ids.length) throw invalid("A case was sent twice");
}

async function beginUpload({ database }: ApiWorld, upload: RunUpload): Promise<Stored> {
  const inserted = await inTransaction(database, (work) => insertRun(work, upload, "uploading"));
  return inserted.stored;
}

function replyTo(stored: Stored, state: "uploading" | "complete", { run }: RunUpload, world: ApiWorld): Reply {
  if (stored === "conflict") throw conflict(`Run ${run.run} exists with other content`);
  const url = `${world.origin()}/r/${run.run}`;
  return { status: stored === "known" ? 200 : 201, body: { run: run.run, state, url } };
}

const partReply = z.object({ part: z.number(), cases: z.number() });

export const putPart = defineRoute({
  method: "put",
  path: `${path}/parts/{part}`,
  summary: "Upload up to 1,000 cases of a run",
  scope: "runs:write",
  limit: "write",
  body: noBody,
  mediaType: "application/x-ndjson",
  query: noQuery,
  replies: { ...replies, 200: partReply, 201: partReply },
  async handle({ world, params, sent, ...call }) {
    const project = projectOf(call);
    const number = Number(params["part"]);
    if (!Number.isInteger(number) || number < 1 || number > mostParts) {
      throw invalid(`A part has a number from 1 to ${mostParts}`);
    }
    const run = await findRun(world, project, params["run"] ?? "");
    const { count, includes, body: packed, digest } = await uploadReaders.read("part", sent);
    for (const include of includes) requireAccepted(project, include);
    const body = { part: number, cases: count };
    const key = { run_id: run.id, number, org_id: project.org_id };
    const isKnown = async (): Promise<boolean> => {
      const known = await world.database
        .selectFrom("parts")
        .select("digest")
        .where("org_id", "=", project.org_id)
        .where("run_id", "=", run.id)
        .where("number", "=", number)
        .executeTakeFirst();
      if (known !== undefined && known.digest !== digest) throw conflict(`Part ${number} exists with other content`);
      return known !== undefined;
    };
    if (await isKnown()) return { status: 200, body };
    if (run.state === "complete") throw conflict(`Run ${params["run"]} is complete`);
    const row = { ...key, digest, cases: count, body: packed };
    const inserted = await world.database
      .insertInto("parts")
      .values(row)
      .onConflict((found) => found.columns(["run_id", "number"]).doNothing())
      .returning("number")
      .executeTakeFirst();
    // Another request was first, whose content may be other.
    if (inserted === undefined && !(await isKnown())) throw notFound("Run");
    return { status: inserted === undefined ? 200 : 201, body };
  },
});

async function findRun({ database }: ApiWorld, project: ProjectRow, run: string) {
  const found = await database
    .selectFrom("runs")
    .select(["id", "state", "day", "started_ms", "shard_of", "document", "digest"])
    .where("org_id", "=", project.org_id)
    .where("project_id", "=", project.id)
    .where("run", "=", run)
    .executeTakeFirst();
  if (found === undefined) throw notFound("Run");
  return found;
}

export const completeRun = defineRoute({
  method: "post",
  path: `${path}/complete`,
  summary: "Check that all cases have arrived, and make the run visible",
  scope: "runs:write",
  limit: "write",
  body: noBody,
  query: noQuery,
  replies,
  async handle({ world, params, ...call }) {
    const project = projectOf(call);
    const stored = await inTransaction(world.database, async (work) => {
      await work
        .selectFrom("runs")
        .select("id")
        .where("org_id", "=", project.org_id)
        .where("project_id", "=", project.id)
        .where("run", "=", params["run"] ?? "")
        .forUpdate()
        .execute();
      const run = await findRun({ ...world, database: work }, project, params["run"] ?? "");
      const upload: RunUpload = {
        project,
        run: run.document,
        digest: run.digest,
        nowMs: world.now(),
        origin: world.origin(),
      };
      if (run.state === "complete") return { stored: "known" as const, upload };
      const parts = await work
        .selectFrom("parts")
        .select("body")
        .where("org_id", "=", project.org_id)
        .where("run_id", "=", run.id)
        .orderBy("number")
        .execute();
      const packed = parts.map(({ body }) => packedCasesSchema.parse(inflateDocument(body)));
      checkCases(packed, run.document.cases);
      const owner = {
        orgId: project.org_id,
        projectId: project.id,
        runId: run.id,
        day: run.day,
        startedMs: run.started_ms,
        isCounted: run.shard_of === null,
      };
      await makePartitions(work, owner.day);
      let before = 0;
      for (const cases of packed) {
        await storeCases(work, owner, cases, before);
        before += cases.ids.length;
      }
      await work
        .updateTable("runs")
        .set({ state: "complete" })
        .where("org_id", "=", project.org_id)
        .where("id", "=", run.id)
        .execute();
      await work.deleteFrom("parts").where("org_id", "=", project.org_id).where("run_id", "=", run.id).execute();
      await finishRun(work, upload, owner);
      return { stored: "created" as const, upload };
    });
    return replyTo(stored.stored, "complete", stored.upload, world);
  },
});
