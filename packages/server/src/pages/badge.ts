import type { Database } from "../database/tables.js";
import { notFound } from "../api/api-error.js";
import { percent } from "@kindlm/core/program";

const colors = { passed: "#17713f", failed: "#c11f2f", none: "#586070" };
const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escape = (text: string): string => text.replaceAll(/[&<>"]/g, (found) => escapes[found] ?? "");
/** Of a letter, on average: a reader of the image has whatever font it has. */
const letterWidth = 6.8;
const mostNameLetters = 40;

/**
 * The newest verdict of the project with this key, as SVG, to show elsewhere. With a branch, that of the branch.
 * Throws an ApiError if no project has the key.
 */
export async function renderBadge(database: Database, key: string, branch: string | undefined): Promise<string> {
  const project = await database
    .selectFrom("projects")
    .select(["id", "org_id", "name"])
    .where("badge_key", "=", key)
    .executeTakeFirst();
  if (project === undefined) throw notFound("Badge");
  const newest = await database
    .selectFrom("runs")
    .select(["verdict", "passed", "failed"])
    .where("org_id", "=", project.org_id)
    .where("project_id", "=", project.id)
    .where("state", "=", "complete")
    .where("superseded_by", "is", null)
    .$if(branch !== undefined, (query) => query.where("branch", "=", branch ?? ""))
    .orderBy("started_ms", "desc")
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  const counted = newest === undefined ? 0 : newest.passed + newest.failed;
  const rate = newest === undefined || counted === 0 ? "" : ` ${percent(newest.passed / counted)}`;
  return draw(project.name, newest === undefined ? "no runs" : `${newest.verdict}${rate}`, newest?.verdict ?? "none");
}

function draw(project: string, status: string, color: keyof typeof colors): string {
  const name = project.length > mostNameLetters ? `${project.slice(0, mostNameLetters - 1)}…` : project;
  const [left, right] = [name, status].map((text) => Math.round(text.length * letterWidth) + 12);
  const [first, second] = [left ?? 0, right ?? 0];
  const text = (x: number, content: string): string =>
    `<text x="${x}" y="14" textLength="${Math.round(content.length * letterWidth)}">${escape(content)}</text>`;
  const label = escape(`${name}: ${status}`);
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${first + second}" height="20" role="img" aria-label="${label}">` +
    `<title>${label}</title><rect width="${first + second}" height="20" rx="4" fill="${colors[color]}"/>` +
    `<path d="M4 0H${first}V20H4a4 4 0 0 1-4-4V4a4 4 0 0 1 4-4z" fill="#333a44"/>` +
    `<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">${text(6, name)}${text(first + 6, status)}</g></svg>`
  );
}
