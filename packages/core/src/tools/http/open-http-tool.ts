import type { HttpReply } from "../../providers/http/transport.js";
import { success, failure, type Result } from "../../result.js";
import { isRecord, type JsonValue } from "../../values/json.js";
import {
  lookUp,
  placeholdersIn,
  isTemplate,
  renderTemplate,
  type TemplateProblem,
  type TemplateScope,
} from "../../values/template.js";
import { lastWords } from "../last-words.js";
import { parseOutput } from "../parse-output.js";
import type { HttpToolConfig, OpenTool } from "../tool-config.js";
import type { HandlerOutcome } from "../tool-handler.js";
import type { ToolPorts } from "../tool-ports.js";

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

interface RenderedRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Undefined for a request without a body. */
  body?: string;
}

/**
 * The request of one call. Values put into the address are escaped, so that an argument can lead to no other address;
 * one at its very start is the address of the service and is taken as it is. A member of the body that is nothing but a
 * placeholder without a value is left out: the model need not give every argument. Anywhere else that fails, with the
 * names that have no value.
 */
export function renderRequest(
  { url, method, headers, body }: Pick<HttpToolConfig, "url" | "method" | "headers" | "body">,
  scope: TemplateScope,
): Result<RenderedRequest, string> {
  const address = renderUrl(url, scope);
  if (!address.success) return address;
  const filled = renderTemplate(headers, scope);
  if (!filled.success) return failure(namesOf(filled.error));
  const texts = Object.entries(filled.data).map(([name, value]): [string, string] => [
    name.toLowerCase(),
    asText(value),
  ]);
  const request: RenderedRequest = { url: address.data, headers: Object.fromEntries(texts) };
  if (method === "GET" && body === undefined) return success(request);
  const content =
    body === undefined ? success(scope.values["args"]) : renderTemplate(withoutAbsent(body, scope), scope);
  if (!content.success) return failure(namesOf(content.error));
  if (typeof content.data === "string") return success({ ...request, body: content.data });
  return success({
    ...request,
    headers: { "content-type": "application/json", ...request.headers },
    body: JSON.stringify(content.data),
  });
}

function renderUrl(url: string, scope: TemplateScope): Result<string, string> {
  let rendered = "";
  for (const part of url.split(/((?<!\\)\{\{[^{}]*\}\})/)) {
    const filled = renderTemplate<unknown>(part, scope);
    if (!filled.success) return failure(namesOf(filled.error));
    const text = asText(filled.data);
    const isPlaceholder = part !== "" && isTemplate(part) && !part.startsWith("\\");
    const isEscaped = isPlaceholder && rendered !== "";
    // An address with these goes up a folder, escaped or not.
    if (isEscaped && /^\.{1,2}$/.test(text)) return failure(`"${text}" cannot be part of the service address`);
    rendered += isEscaped ? encodeURIComponent(text) : text;
  }
  // Two of them side by side, or one behind a dot of the address, may make such a step as well.
  const isStep = /\/\.{1,2}(?=[/?#]|$)/;
  if (isStep.test(rendered) && !isStep.test(url)) return failure(`${rendered} is another address of the service`);
  return success(rendered);
}

function withoutAbsent(node: JsonValue, scope: TemplateScope): JsonValue {
  if (Array.isArray(node)) return node.map((item) => withoutAbsent(item, scope));
  if (!isRecord(node)) return node;
  const present = Object.entries(node).filter(([, value]) => !isAbsent(value, scope));
  return Object.fromEntries(present.map(([key, value]) => [key, withoutAbsent(value, scope)]));
}

function isAbsent(value: JsonValue, scope: TemplateScope): boolean {
  const name = typeof value === "string" ? /^\{\{([^{}]*)\}\}$/.exec(value)?.[1]?.trim() : undefined;
  return name !== undefined && name.startsWith("args.") && !lookUp(name, scope).success;
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function namesOf(problems: readonly TemplateProblem[]): string {
  return `The call has no value for ${problems.map(({ name }) => `{{${name}}}`).join(", ")}`;
}
