import type * as z from "zod";
import { failure, success, type Result } from "../../../result.js";
import { parseWith } from "../../../schema-parts/parse-with.js";
import { isRecord } from "../../../values/json.js";
import { bodyRoom, describeJsonProblem, parseJson } from "../../../values/parse-json.js";
import { renderPath } from "../../../values/preview.js";
import type { TranslationProblem } from "./translation.js";
import type { Rule } from "./translation-table.js";
import type { GatewayChange } from "../../../errors/gateway-change.js";

export type Body = Readonly<Record<string, unknown>>;

/** The object in the body of a request; fails with what is wrong with it. */
export function parseBody(text: string): Result<Body, string> {
  const json = parseJson(text, bodyRoom);
  if (!json.success) return failure(`The body is ${describeJsonProblem(json.error)}`);
  return isRecord(json.data) ? success(json.data) : failure("The body is not a JSON object");
}

/** What a translator reads of a body, and what is lost of it by its table. */
export function readBody<T>(
  schema: z.ZodType<T>,
  table: Rule,
  body: Body,
): Result<{ request: T; changes: readonly GatewayChange[] }, TranslationProblem> {
  const changes = table(body, "");
  if (changes.some(({ kind }) => kind === "refused")) return failure({ kind: "refused", changes });
  const parsed = parseWith(schema, body);
  if (parsed.success) return success({ request: parsed.data, changes });
  const [first] = parsed.error;
  const message = `${renderPath(first?.path ?? [])}: ${first?.message ?? "not valid"}`;
  return failure({ kind: "invalid", status: 400, message });
}

/** The text of a content, which is a string or a list of parts; what is not text is left out. */
export function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  return itemsOf(content)
    .map(({ text }) => (typeof text === "string" ? text : ""))
    .join("");
}

/** The objects of a list in a body, whatever else it holds. */
export function itemsOf(list: unknown): readonly Body[] {
  return Array.isArray(list) ? list.filter(isRecord) : [];
}
