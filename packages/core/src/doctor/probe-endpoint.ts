import { classifyFailure } from "../providers/http/classify.js";
import type { HttpTransport } from "../providers/http/transport.js";
import type { Clock } from "../values/clock.js";
import { shownUrl, type Endpoint } from "./collect-endpoints.js";
import type { DoctorCheck } from "./doctor-report.js";
import { readModelList, type ModelList } from "./read-model-list.js";

export interface ProbePorts {
  http: HttpTransport;
  clock: Clock;
  signal: AbortSignal;
}

export interface Probed {
  check: Pick<DoctorCheck, "status" | "message" | "fix" | "details">;
  /** Null when the reply held none. */
  models: ModelList | null;
  /** How far the server's clock is ahead of this machine's, milliseconds; null when it does not say. */
  clockAheadMs: number | null;
}

/** Long enough for a far server, short enough to wait for. */
const deadlineMs = 5_000;
const timeouts = { connectMs: deadlineMs, headersMs: deadlineMs, idleMs: deadlineMs, requestMs: deadlineMs };

/** One GET, which shows whether the server is there and what it says to the key. Null when nothing is sent. */
export async function probeEndpoint(endpoint: Endpoint, ports: ProbePorts): Promise<Probed | null> {
  const { access, identity } = endpoint;
  if (access === null) return null;
  const url = access.probe?.url ?? access.baseUrl;
  const headers = { accept: "application/json", "user-agent": "kindlm", ...access.probe?.headers };
  const sent = await ports.http.send({ url, method: "GET", headers, timeouts }, { signal: ports.signal });
  const asked = `GET ${shownUrl(url)}`;
  if (!sent.success) {
    const { message } = classifyFailure(identity, sent.error, ports.clock.now());
    const fix =
      sent.error.kind === "unsendable"
        ? "Check base_url and headers of the provider"
        : "Check base_url, that the server is running, and the connection";
    return { check: { status: "failed", message, fix, details: [asked] }, models: null, clockAheadMs: null };
  }
  const { status, body, latencyMs } = sent.data;
  const date = Date.parse(sent.data.headers["date"] ?? "");
  return {
    check: { ...readStatus(status, endpoint), details: [`${asked}: ${status} in ${Math.round(latencyMs)} ms`] },
    models: isSuccess(status) && access.probe !== null && access.listsModels !== false ? readModelList(body) : null,
    clockAheadMs: Number.isNaN(date) ? null : date - ports.clock.now(),
  };
}

/** What a status says of the server and of the key. */
function readStatus(status: number, { access }: Endpoint): Pick<DoctorCheck, "status" | "message" | "fix"> {
  const keys = access?.keys ?? [];
  const sentKey = keys.some(({ isSet }) => isSet);
  if (access?.probe === null) return { status: "ok", message: `reachable (status ${status}, key not checked)` };
  if (isSuccess(status)) return { status: "ok", message: sentKey ? "reachable, key accepted" : "reachable" };
  if (status === 401 || status === 403) {
    if (sentKey) {
      const fix = `Check the key in ${keys.flatMap(({ env, isSet }) => (isSet ? [env] : [])).join(", ")} and its permissions`;
      return { status: "failed", message: `reachable, key refused (status ${status})`, fix };
    }
    // That the key is missing is said already where one is needed.
    if (access?.isKeyNeeded === true) return { status: "ok", message: "reachable" };
    const fix = "Set api_key_env in the provider's settings to the variable that contains the key";
    return { status: "failed", message: `reachable, but it requires a key (status ${status})`, fix };
  }
  const message = `reachable (status ${status}, key not checked)`;
  if (status >= 500) return { status: "warning", message, fix: "The server has a problem; try again later" };
  return { status: "warning", message, fix: "If requests of tests fail as well, check base_url" };
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
