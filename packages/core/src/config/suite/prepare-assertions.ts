import path from "node:path";
import { nothingRegistered } from "../../extensions/registered.js";
import { parseAssertion } from "../../assertions/parse-assertion.js";
import type { ParsedAssertion } from "../../assertions/parsed-assertion.js";
import type { SourcePosition } from "../../errors/source-position.js";
import { isTemplate, renderTemplate, type TemplateScope } from "../../values/template.js";
import type { AssertionTemplate } from "../resolved-config.js";
import { placeOf, report, subsection, type Section } from "../source/section.js";
import type { YamlDocument } from "../source/yaml-document.js";
import type { Path } from "../source/written.js";

/** An entry of an `assert` list with its place. */
export interface PreparedAssertion {
  template: AssertionTemplate;
  section: Section;
  /** Null if the config is an object. */
  position: SourcePosition | null;
  /** It holds placeholders, so that each case has its own. */
  isTemplate: boolean;
  /** It is set under a turn of a conversation. */
  isOfUserTurn?: true;
  /** It is set under `retry_until`, so it decides how the conversation continues. */
  steers?: true;
}

/** Reads an `assert` list. What is wrong with an entry that holds no placeholder is reported immediately. */
export function prepareAssertions(section: Section, at: Path, list: unknown): PreparedAssertion[] {
  if (!Array.isArray(list)) return [];
  return list.map((raw: unknown, index) => {
    const part = subsection(section, [...at, index], raw);
    const hasPlaceholders = isTemplate(raw);
    return {
      section: part,
      position: placeOf(part, []).position ?? null,
      template: hasPlaceholders ? unparsed(part) : knownTemplate(part),
      isTemplate: hasPlaceholders,
    };
  });
}

function unparsed(section: Section): AssertionTemplate {
  return { raw: section.value, parsed: null, place: placeOf(section, []), ...contextOf(section) };
}

function contextOf({ document, registered = nothingRegistered }: Section): Context {
  return { baseDir: path.dirname(document.source.path), registered: registered.assertions };
}

/** What an assertion is read with. */
type Context = Pick<AssertionTemplate, "baseDir" | "registered">;

const known = new WeakMap<YamlDocument, Map<string, AssertionTemplate>>();
const longestKnown = 500;

/** Tests mostly have assertions that others have too. These are read once, and are the same in memory. */
function knownTemplate(section: Section): AssertionTemplate {
  const { document, value: raw } = section;
  let templates = known.get(document);
  if (templates === undefined) known.set(document, (templates = new Map<string, AssertionTemplate>()));
  const text = JSON.stringify(raw);
  const found = templates.get(text);
  if (found !== undefined) return found;
  const context = contextOf(section);
  const parsed = parseReported(section, raw, context);
  if (parsed === null) return unparsed(section);
  const template = { raw, parsed, ...context };
  if (text.length <= longestKnown) templates.set(text, template);
  return template;
}

/**
 * The assertion as the first case has it: as it is, or with the placeholders filled in from `scope`. Null when it is
 * not valid, which is reported.
 */
export function probeAssertion(prepared: PreparedAssertion, scope: TemplateScope): ParsedAssertion | null {
  const { template, section } = prepared;
  if (!prepared.isTemplate) return template.parsed;
  const rendered = renderTemplate(template.raw, scope);
  // Names that do not exist are reported by the check of placeholders, for every row.
  return rendered.success ? parseReported(section, rendered.data, template) : null;
}

function parseReported(section: Section, raw: unknown, { baseDir, registered }: Context): ParsedAssertion | null {
  const parsed = parseAssertion(raw, baseDir, registered);
  if (parsed.success) return parsed.data;
  report(section, ...parsed.error);
  return null;
}
