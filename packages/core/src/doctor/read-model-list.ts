import { isRecord } from "../values/json.js";
import { bodyRoom, parseJson } from "../values/parse-json.js";

/** A longer string is not the name of a model, and not worth printing. */
const longestName = 200;

/** The models that a server says it has. */
export interface ModelList {
  names: readonly string[];
  /** False when the server has more pages, so that nothing follows from a name that is missing. */
  isComplete: boolean;
}

/**
 * Reads a list of models: `data[].id` (OpenAI and those like it, Anthropic, Mistral with `aliases`), `models[].name`
 * (Gemini, Ollama, Cohere), or a bare list. Null for anything else, since nobody promised a list.
 */
export function readModelList(body: string): ModelList | null {
  const parsed = parseJson(body, bodyRoom);
  if (!parsed.success) return null;
  const whole: Record<string, unknown> = isRecord(parsed.data) ? parsed.data : { data: parsed.data };
  const entries: readonly unknown[] | undefined = [whole["data"], whole["models"]].find(Array.isArray);
  if (entries === undefined) return null;
  const names = entries.flatMap(namesOf).filter((name) => name.length <= longestName);
  if (names.length === 0 && entries.length > 0) return null;
  return { names: [...new Set(names)], isComplete: !hasMore(whole) };
}

/** Whether the list has the model, by its own name or as a version or an alias of it. */
export function isListed(model: string, { names }: ModelList): boolean {
  const wanted = shortName(model);
  return names.some((name) => {
    const listed = shortName(name);
    if (listed === wanted || listed.replace(version, "") === wanted) return true;
    return alias.test(wanted) && listed.replace(version, "") === wanted.replace(alias, "");
  });
}

/** Suffixes that distinguish the versions of a model: dates and revisions. */
const version = /-(?:\d{4}-\d{2}-\d{2}|\d{8}|\d{4}|\d{3})$/;
const alias = /-latest$/;

function namesOf(entry: unknown): readonly string[] {
  if (typeof entry === "string") return [entry];
  if (!isRecord(entry)) return [];
  const aliases: readonly unknown[] = Array.isArray(entry["aliases"]) ? entry["aliases"] : [];
  const own = entry["id"] ?? entry["name"] ?? entry["model"];
  return [own, ...aliases].flatMap((name) => (typeof name === "string" ? [name.replace(/^models\//, "")] : []));
}

/** Gemini's names may come with their collection, Ollama's with the tag that is meant when there is none. */
function shortName(name: string): string {
  return name.replace(/^models\//, "").replace(/:latest$/, "");
}

function hasMore(list: Record<string, unknown>): boolean {
  const next = list["nextPageToken"] ?? list["next_page_token"];
  return list["has_more"] === true || (typeof next === "string" && next !== "");
}
