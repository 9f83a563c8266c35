import { setTimeout as sleepFor } from "node:timers/promises";

/** How long all waiting together may take. A job that waits costs money, and the report is in its summary anyway. */
const longestWaitMs = 60_000;
const mostAttempts = 3;
const timeoutMs = 20_000;

/** What GitHub answered, or why it did not. `status` is null if no answer came. */
export class GithubError extends Error {
  constructor(message, status, isRateLimit = false) {
    super(message);
    this.status = status;
    this.isRateLimit = isRateLimit;
  }
}

/** The REST API of GitHub, or of a GitHub Enterprise Server: https://docs.github.com/rest */
export class GithubApi {
  #url;
  #token;
  #sleep;
  #leftMs = longestWaitMs;

  /** @param {{ url: string, token: string, sleep?: (ms: number) => Promise<unknown> }} settings */
  constructor({ url, token, sleep = sleepFor }) {
    this.#url = url.replace(/\/+$/, "");
    this.#token = token;
    this.#sleep = sleep;
  }

  async request(method, path, body) {
    const { data } = await this.#call(method, `${this.#url}${path}`, body);
    return data;
  }

  /** The members of a list, page by page. */
  async *list(path) {
    let next = `${this.#url}${path}`;
    while (next !== null) {
      const { data, link } = await this.#call("GET", next);
      yield* data;
      next = this.#nextPage(link);
    }
  }

  /** The token goes to no other server, whatever a header says. */
  #nextPage(link) {
    const [, next] = /<([^>]+)>;\s*rel="next"/.exec(link ?? "") ?? [];
    return next !== undefined && new URL(next).origin === new URL(this.#url).origin ? next : null;
  }

  async #call(method, url, body) {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.#attempt(method, url, body);
      if (answer.error === null) return answer;
      const waitMs = (answer.waitMs ?? Number.NaN) * (answer.grows ? 2 ** (attempt - 1) : 1);
      // A wait that is no number is not worth another request.
      if (!(waitMs <= this.#leftMs) || attempt === mostAttempts) throw answer.error;
      this.#leftMs -= waitMs;
      await this.#sleep(waitMs);
    }
  }

  /** One request. `waitMs` is set if it is worth another one. */
  async #attempt(method, url, body) {
    let response;
    try {
      response = await fetch(url, {
        method,
        headers: {
          accept: "application/vnd.github+json",
          authorization: `Bearer ${this.#token}`,
          "user-agent": "kindlm-action",
          "x-github-api-version": "2022-11-28",
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        body: body === undefined ? undefined : JSON.stringify(body),
        signal: AbortSignal.timeout(timeoutMs),
      });
      const text = await response.text();
      if (response.ok) return { error: null, data: JSON.parse(text || "null"), link: response.headers.get("link") };
      return refusal(response, text);
    } catch (error) {
      const reason = error.cause?.code ?? error.cause?.message ?? error.message;
      return { error: new GithubError(`${new URL(url).host}: ${reason}`, null), waitMs: 1_000, grows: true };
    }
  }
}

/** What became of a request that was answered with an error, by the rules of GitHub for its rate limits. */
function refusal({ status, headers }, text) {
  const message = messageIn(text) ?? `status ${status}`;
  const after = headers.get("retry-after");
  const isUsedUp = headers.get("x-ratelimit-remaining") === "0";
  const isRateLimit = status === 429 || (status === 403 && (after !== null || isUsedUp || /rate limit/i.test(message)));
  const error = new GithubError(message, status, isRateLimit);
  if (isRateLimit) {
    if (after !== null) return { error, waitMs: Number(after) * 1_000 };
    if (isUsedUp) return { error, waitMs: Math.max(0, Number(headers.get("x-ratelimit-reset")) * 1_000 - Date.now()) };
    return { error, waitMs: 60_000 };
  }
  return status >= 500 ? { error, waitMs: 1_000, grows: true } : { error };
}

function messageIn(text) {
  try {
    const { message } = JSON.parse(text);
    return typeof message === "string" ? message : null;
  } catch {
    return null;
  }
}
