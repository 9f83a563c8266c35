import { randomUUID } from "node:crypto";
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What a step of a workflow gets and gives: https://docs.github.com/actions/reference/workflow-commands-for-github-actions */

/** The event that started the workflow; empty if there is none. */
export function readEvent(env) {
  if (!env.GITHUB_EVENT_PATH) return {};
  try {
    return JSON.parse(readFileSync(env.GITHUB_EVENT_PATH, "utf8"));
  } catch {
    return {};
  }
}

/** The commit that is tested. A pull request is checked out as a merge commit, whose SHA nobody knows. */
export function headShaOf(event, env) {
  return event.pull_request?.head?.sha ?? event.workflow_run?.head_sha ?? env.GITHUB_SHA ?? "";
}

/** The page of this run of the workflow; null outside of one. */
export function runUrlOf(env) {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run } = env;
  return server && repository && run ? `${server}/${repository}/actions/runs/${run}` : null;
}

export function setOutputs(outputs, env) {
  if (!env.GITHUB_OUTPUT) return;
  const lines = Object.entries(outputs).map(([name, value]) => {
    // A value with line ends could otherwise set outputs of its own.
    const end = `end_${randomUUID()}`;
    return `${name}<<${end}\n${value}\n${end}\n`;
  });
  appendFileSync(env.GITHUB_OUTPUT, lines.join(""));
}

export function addSummary(markdown, env) {
  if (env.GITHUB_STEP_SUMMARY) appendFileSync(env.GITHUB_STEP_SUMMARY, `${markdown}\n`);
}

/** The command for an annotation of the job. `level`: `error`, `warning` or `notice`. */
export function annotation(level, message) {
  const data = message.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
  return `::${level} title=KindLM::${data}\n`;
}

/**
 * All that a JSON report says but its suites, which may be very large: each other key is on its own line. Null if there
 * is no report.
 */
export function readReport(folder) {
  let text;
  try {
    text = readFileSync(join(folder, "report.json"), "utf8");
  } catch {
    return null;
  }
  const end = text.indexOf('\n"suites": [');
  return JSON.parse(end === -1 ? text : `${text.slice(0, end)}\n"suites": []}`);
}

/** How many cases got worse, or suites if no single case did. */
export function regressionsIn(report) {
  const suites = (report.comparison?.suites ?? []).filter(({ status }) => status === "compared");
  const worse = suites.reduce((sum, suite) => sum + suite.worse.length, 0);
  return Math.max(worse, suites.filter(({ verdict }) => verdict === "regressed").length);
}
