import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { GithubApi, GithubError } from "./github-api.js";
import {
  addSummary,
  annotation,
  headShaOf,
  readEvent,
  readReport,
  regressionsIn,
  runUrlOf,
  setOutputs,
} from "./workflow.js";

/**
 * The second half of the action: the comment on the pull request, and the check run. The text is that of the reporter
 * pr-comment. Whatever goes wrong here is a notice: the result of the job is that of the tests.
 */
export async function publishResult(env, write) {
  try {
    await new Publisher(env, write).publish();
  } catch (error) {
    write(annotation("warning", `The result could not be published: ${error.message}`));
  }
}

const mostBytes = 8_000;
const modes = ["changes", "always", "never"];

class Publisher {
  #env;
  #write;
  #event;
  #headSha;
  #repository;
  /** Null if the run came to no report. */
  #report;
  #api;

  constructor(env, write) {
    this.#env = env;
    this.#write = write;
    this.#event = readEvent(env);
    this.#headSha = headShaOf(this.#event, env);
    this.#repository = `/repos/${env.GITHUB_REPOSITORY}`;
    this.#report = readReport(env.KINDLM_REPORT ?? "");
    this.#api = new GithubApi({ url: env.GITHUB_API_URL || "https://api.github.com", token: env.INPUT_TOKEN });
  }

  async publish() {
    const { INPUT_CHECK: check, INPUT_TOKEN: token } = this.#env;
    const shard = this.#report?.run.shard;
    if (shard !== undefined) {
      this.#write(`Shard ${shard.index} of ${shard.of}: the job that merges the shards comments\n`);
      return;
    }
    const mode = this.#mode();
    if (mode === "never" && check !== "true") return;
    if (!token) {
      this.#sayWhyNot("There is no token");
      return;
    }
    const text = this.#text();
    if (check === "true") await this.#attempt("checks: write", () => this.#createCheck(text));
    if (mode !== "never") await this.#attempt("pull-requests: write", () => this.#comment(text, mode));
  }

  #mode() {
    const mode = this.#env.INPUT_COMMENT || "changes";
    if (modes.includes(mode)) return mode;
    this.#write(annotation("warning", `comment: "${mode}" is not one of ${modes.join(", ")}. Using changes`));
    return "changes";
  }

  /** The text of the reporter, or that there is none, and where more of it is. */
  #text() {
    const { KINDLM_REPORT: folder = "", KINDLM_ARTIFACT_URL: artifact } = this.#env;
    const text =
      this.#report === null
        ? `### ! KindLM could not run · \`${this.#headSha.slice(0, 7)}\`\n\nNo report was written.`
        : readFileSync(join(folder, "comment.md"), "utf8").trimEnd();
    const run = runUrlOf(this.#env);
    const links = [...(artifact ? [`[report](${artifact})`] : []), ...(run === null ? [] : [`[log](${run})`])];
    // One line stays one line.
    return [text, links.join(" · ")].filter((part) => part !== "").join(text.includes("\n") ? "\n\n" : " · ");
  }

  /** Edits the comment in place, or writes one if that is worth it. */
  async #comment(text, mode) {
    const pull = await this.#findPullRequest();
    if (pull === null) {
      this.#write("No pull request belongs to this run, so there is nothing to comment on\n");
      return;
    }
    const current = await this.#api.request("GET", `${this.#repository}/pulls/${pull}`);
    const newest = current.head.sha;
    if (newest !== this.#headSha) {
      const shas = [newest, this.#headSha].map((sha) => sha.slice(0, 7));
      this.#write(`Pull request ${pull} is at ${shas[0]} by now, so the result of ${shas[1]} is not shown\n`);
      return;
    }
    const marker = this.#marker();
    const body = `${marker}\n${text}`;
    if (Buffer.byteLength(body) > mostBytes) throw new Error(`the comment is longer than ${mostBytes} bytes`);
    const mine = await this.#commentsWith(marker, pull);
    const [first, ...others] = mine;
    if (first === undefined && mode === "changes" && !this.#isWorthSaying()) return;
    const written = first === undefined ? await this.#create(pull, body) : await this.#update(pull, first, body);
    setOutputs({ "comment-url": written.html_url }, this.#env);
    // Two jobs that ran at the same time may both have found none.
    for (const { id } of others) await this.#api.request("DELETE", `${this.#repository}/issues/comments/${id}`);
  }

  /** Its number: in the event, or found by the commit that was pushed. Null if there is none that is open. */
  async #findPullRequest() {
    const { pull_request: pull, issue, workflow_run: run } = this.#event;
    if (pull !== undefined) return pull.number;
    if (issue?.pull_request !== undefined) return issue.number;
    const [first] = run?.pull_requests ?? [];
    if (first !== undefined) return first.number;
    if (this.#headSha === "") return null;
    const pulls = await this.#api.request("GET", `${this.#repository}/commits/${this.#headSha}/pulls`);
    return pulls.find(({ state }) => state === "open")?.number ?? null;
  }

  /** Nobody sees it. The comment of another project or config has another one. */
  #marker() {
    const { INPUT_WORKING_DIRECTORY: folder, INPUT_CONFIG: config } = this.#env;
    const place = JSON.stringify([folder || ".", config || ""]);
    return `<!-- kindlm-comment:${createHash("sha256").update(place).digest("hex").slice(0, 16)} -->`;
  }

  async #commentsWith(marker, pull) {
    const found = [];
    for await (const one of this.#api.list(`${this.#repository}/issues/${pull}/comments?per_page=100`)) {
      // Somebody who quotes it has another line first.
      if (one.body?.startsWith(marker)) found.push(one);
    }
    return found;
  }

  /** Whether a pull request without a comment gets one: it failed, or something is another than in the baseline. */
  #isWorthSaying() {
    const report = this.#report;
    if (report === null || report.verdict !== "passed" || regressionsIn(report) > 0) return true;
    return (report.comparison?.suites ?? []).some((suite) => suite.status === "compared" && suite.better.length > 0);
  }

  #create(pull, body) {
    return this.#api.request("POST", `${this.#repository}/issues/${pull}/comments`, { body });
  }

  async #update(pull, earlier, body) {
    if (earlier.body === body) return earlier;
    try {
      return await this.#api.request("PATCH", `${this.#repository}/issues/comments/${earlier.id}`, { body });
    } catch (error) {
      // Deleted since, or written by somebody else who copied the marker.
      if (error.status === 404 || (error.status === 403 && !error.isRateLimit)) return this.#create(pull, body);
      throw error;
    }
  }

  async #createCheck(text) {
    const { INPUT_CONFIG: config } = this.#env;
    const counts = this.#report?.summary;
    const title =
      counts === undefined
        ? "KindLM could not run"
        : `${counts.passed} passed, ${counts.failed} failed, ${counts.errored} errored, ${counts.skipped} skipped`;
    const run = runUrlOf(this.#env);
    await this.#api.request("POST", `${this.#repository}/check-runs`, {
      name: config ? `KindLM (${config})` : "KindLM",
      head_sha: this.#headSha,
      status: "completed",
      conclusion: this.#report?.verdict === "passed" ? "success" : "failure",
      ...(run === null ? {} : { details_url: run }),
      output: { title, summary: text },
    });
  }

  async #attempt(permission, work) {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof GithubError)) throw error;
      this.#sayWhyNot(this.#reasonOf(error, permission));
    }
  }

  #reasonOf({ status, message, isRateLimit }, permission) {
    if (isRateLimit) return `GitHub limits requests: ${message}`;
    if (status === 401) return `GitHub does not accept the token: ${message}`;
    if (status !== 403 && status !== 404) return `GitHub could not be reached: ${message}`;
    const { head, base } = this.#event.pull_request ?? {};
    const isFork = head !== undefined && head.repo?.full_name !== base.repo?.full_name;
    if (isFork) return "The pull request is from a fork, so the token can only read";
    return `The token lacks a permission. Add permissions: { ${permission} } to the job (${message})`;
  }

  #sayWhyNot(reason) {
    this.#write(annotation("notice", `${reason}. The report is in the summary of the job.`));
    addSummary(`\n> Not on the pull request: ${reason}.`, this.#env);
  }
}
