import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterFile } from "../../packages/core/src/__fixtures__/clean-up.js";

export interface Comment {
  id: number;
  body: string;
  html_url: string;
}

/** What GitHub answers in place of what it would. */
export interface Refusal {
  status: number;
  headers?: Readonly<Record<string, string>>;
  message?: string;
}

interface Answer {
  status: number;
  headers?: Readonly<Record<string, string>>;
  data?: unknown;
}

const pull = 2;
export const repositoryName = "octo/agent";
export const token = "ghs_test";
const path = `/repos/${repositoryName}`;

/** The REST API of GitHub as far as the action uses it, with one pull request, on the loopback interface. */
export class FakeGithub {
  /** Those of the pull request, in their order. */
  comments: Comment[] = [];
  checks: Record<string, unknown>[] = [];
  /** Such as `POST /issues/2/comments`. */
  requests: string[] = [];
  headSha = "";
  /** Takes the place of an answer; null for none. */
  refuse: (request: string) => Refusal | null = () => null;
  url = "";
  #lastId = 0;

  async start(): Promise<this> {
    const server = createServer((request, response) => void this.#respond(request, response));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    afterFile(() => new Promise((resolve) => server.close(() => resolve())));
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v3`;
    return this;
  }

  addComment(body: string): Comment {
    this.#lastId += 1;
    const html_url = `https://github.test/${repositoryName}/pull/${pull}#issuecomment-${this.#lastId}`;
    const comment = { id: this.#lastId, body, html_url };
    this.comments.push(comment);
    return comment;
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    const url = new URL(request.url ?? "", this.url);
    const place = url.pathname.replace(`/api/v3${path}`, "");
    const name = `${request.method ?? ""} ${place}`;
    this.requests.push(name);
    const refused = this.refuse(name);
    const { status, headers, data }: Answer =
      refused !== null
        ? { ...refused, data: { message: refused.message ?? "refused" } }
        : request.headers.authorization === `Bearer ${token}`
          ? this.#answer(name, url, text === "" ? {} : (JSON.parse(text) as Record<string, string>))
          : { status: 401, data: { message: "Bad credentials" } };
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(data === undefined ? "" : JSON.stringify(data));
  }

  #answer(name: string, url: URL, body: Record<string, string>): Answer {
    const [, id = ""] = /\/issues\/comments\/(\d+)$/.exec(name) ?? [];
    const comment = this.comments.find((one) => String(one.id) === id);
    if (name === `GET /pulls/${pull}`) return { status: 200, data: { head: { sha: this.headSha } } };
    if (name === `GET /issues/${pull}/comments`) return this.#page(url);
    if (name === `POST /issues/${pull}/comments`) return { status: 201, data: this.addComment(body["body"] ?? "") };
    if (name === `GET /commits/${this.headSha}/pulls`) return { status: 200, data: [{ number: pull, state: "open" }] };
    if (name === "POST /check-runs") {
      this.checks.push(body);
      return { status: 201, data: {} };
    }
    if (comment === undefined) return { status: 404, data: { message: "Not Found" } };
    if (name.startsWith("DELETE")) {
      this.comments = this.comments.filter((one) => one !== comment);
      return { status: 204 };
    }
    comment.body = body["body"] ?? "";
    return { status: 200, data: comment };
  }

  /** Pages are linked as GitHub links them, with the numbers of its own routes. */
  #page(url: URL): Answer {
    const size = Number(url.searchParams.get("per_page") ?? 30);
    const page = Number(url.searchParams.get("page") ?? 1);
    const isLast = page * size >= this.comments.length;
    const next = `<${this.url}${path}/issues/${pull}/comments?per_page=${size}&page=${page + 1}>; rel="next"`;
    return {
      status: 200,
      data: this.comments.slice((page - 1) * size, page * size),
      ...(isLast ? {} : { headers: { link: next } }),
    };
  }
}
