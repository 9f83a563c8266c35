import type { HttpReply } from "../../providers/http/transport.js";
import { success, type Result } from "../../result.js";
import { isRecord } from "../../values/json.js";
import { lookUp, placeholdersIn } from "../../values/template.js";
import { lastWords } from "../last-words.js";
import { parseOutput } from "../parse-output.js";
import type { HttpToolConfig, OpenTool } from "../tool-config.js";
import type { HandlerOutcome } from "../tool-handler.js";
import type { ToolPorts } from "../tool-ports.js";
import { renderRequest } from "./render-request.js";

/** Connecting has its own deadline, a failure of the network. Everything else ends at the tool's deadline. */
const timeouts = { connectMs: 10_000, headersMs: 2 ** 31 - 1, idleMs: 2 ** 31 - 1, requestMs: 2 ** 31 - 1 };

/** Statuses below 500 that speak of the way to the service rather than of what was asked of it. */
const runtimeStatuses = new Set([401, 403, 407, 408, 425, 429]);

/** A tool that is one request to an HTTP service. */
export function openHttpTool(config: HttpToolConfig, { http }: Pick<ToolPorts, "http">): Result<readonly OpenTool[]> {
  const { kind: _kind, url, method, headers, body, responsePath, ...settings } = config;
  const template = { url, method, headers, ...(body === undefined ? {} : { body }) };
  const tool: OpenTool = {
    ...settings,
    kind: "open",
    ...(placeholdersIn(template).some(({ name }) => !/^args(\.|$)/.test(name)) ? { isOfCase: true } : {}),
    createHandler: (scope) => ({
      async execute(args, { signal }) {
        const rendered = renderRequest(template, { values: { ...scope, args: args ?? {} } });
        if (!rendered.success) return { ok: false, failure: { errorType: "logical", message: rendered.error } };
        const sent = await http.send({ ...rendered.data, method, timeouts }, { signal });
        if (sent.success) return toOutcome(sent.data, responsePath);
        const { error } = sent;
        if (error.kind === "aborted") return { ok: false, failure: { errorType: "aborted", message: "Interrupted" } };
        const message = error.kind === "timeout" ? `No connection within ${error.ms} ms` : error.message;
        return { ok: false, failure: { errorType: "runtime", message } };
      },
    }),
  };
  return success([tool]);
}

function toOutcome({ status, body }: HttpReply, responsePath: string | null): HandlerOutcome {
  const output = parseOutput(body);
  if (!output.success) {
    return {
      ok: false,
      failure: { errorType: "runtime", message: `The service sent a result that is ${output.error}` },
    };
  }
  const value = output.data;
  if (status >= 200 && status < 300) return responsePath === null ? { ok: true, value } : pick(value, responsePath);
  // What the service says of a failure in the result's own terms counts, as it does in a reply that went well.
  if (status >= 400 && isRecord(value) && value["ok"] === false) return { ok: true, value };
  const said = lastWords(body);
  const message = `The service answered with status ${status}${said === "" ? "" : `: ${said}`}`;
  const isLogical = status >= 400 && status < 500 && !runtimeStatuses.has(status);
  return { ok: false, failure: { errorType: isLogical ? "logical" : "runtime", message } };
}

function pick(value: unknown, responsePath: string): HandlerOutcome {
  const found = lookUp(`reply.${responsePath}`, { values: { reply: value } });
  if (found.success) return { ok: true, value: found.data };
  const message = `The reply of the service has nothing at "${responsePath}"`;
  return { ok: false, failure: { errorType: "runtime", message } };
}
