import { failure, success, type Result } from "../../result.js";
import { isRecord, type JsonValue } from "../../values/json.js";
import { isTemplate, lookUp, renderTemplate, type TemplateProblem, type TemplateScope } from "../../values/template.js";
import type { HttpToolConfig } from "../tool-config.js";

export interface RenderedRequest {
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
