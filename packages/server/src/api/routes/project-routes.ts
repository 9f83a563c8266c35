import * as z from "zod";
import {
  changedProjectBody,
  changeProject,
  createProject,
  newProjectBody,
  pageOfProjects,
} from "../../management/projects.js";
import { removeProject } from "../../management/remove-project.js";
import type { ProjectRow } from "../../database/tables.js";
import { defineRoute, noBody, noQuery, projectOf } from "../route.js";
import { errorReply, pageOf } from "./reply-schemas.js";

const path = "/projects/{project}";
const shared = { scope: "project:admin", limit: "write", query: noQuery } as const;

const projectReply = z.object({
  name: z.string(),
  accepts: z.array(z.string()),
  transcript_days: z.number(),
  case_days: z.number(),
  run_days: z.number(),
  created_ms: z.number(),
});

function describe({ name, accepts, transcript_days, case_days, run_days, created_ms }: ProjectRow) {
  const accepted = accepts.split(" ").filter((word) => word !== "");
  return { name, accepts: accepted, transcript_days, case_days, run_days, created_ms };
}

export const newProject = defineRoute({
  ...shared,
  method: "post",
  path: "/projects",
  summary: "Create a project",
  body: newProjectBody,
  replies: { 201: newProjectBody, 409: errorReply, 422: errorReply },
  async handle({ world, caller, body }) {
    await createProject(world, caller, body);
    return { status: 201, body };
  },
});

export const listProjects = defineRoute({
  method: "get",
  path: "/projects",
  summary: "List the projects that the token covers, by name",
  scope: "runs:read",
  limit: "read",
  body: noBody,
  query: z.object({ after: z.string().max(100).optional() }),
  replies: { 200: pageOf(projectReply) },
  async handle({ world, caller, query: { after } }) {
    const { rows, next } = await pageOfProjects(world, caller, after ?? "");
    return { status: 200, body: { items: rows.map(describe), next } };
  },
});

export const showProject = defineRoute({
  method: "get",
  path,
  summary: "Show a project",
  scope: "runs:read",
  limit: "read",
  body: noBody,
  query: noQuery,
  replies: { 200: projectReply, 404: errorReply },
  async handle(call) {
    return { status: 200, body: describe(projectOf(call)) };
  },
});

export const patchProject = defineRoute({
  ...shared,
  method: "patch",
  path,
  summary: "Change the name of a project, what it accepts, or how long it keeps what",
  body: changedProjectBody,
  replies: { 200: projectReply, 404: errorReply, 409: errorReply, 422: errorReply },
  async handle({ world, caller, body, ...call }) {
    return { status: 200, body: describe(await changeProject(world, caller, projectOf(call), body)) };
  },
});

export const deleteProject = defineRoute({
  ...shared,
  method: "delete",
  path,
  summary: "Delete a project with all its runs. The audit log stays",
  body: noBody,
  replies: { 200: z.object({ name: z.string() }), 404: errorReply },
  async handle({ world, caller, ...call }) {
    const project = projectOf(call);
    await removeProject(world, caller, project);
    return { status: 200, body: { name: project.name } };
  },
});
