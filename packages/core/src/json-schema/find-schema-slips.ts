import { isRecord } from "../values/json.js";
import { nearestName } from "../values/nearest-name.js";

/** Something in a JSON Schema that validates nothing, although it looks as if it did. */
export interface SchemaSlip {
  /** Path into the schema, to the keyword. */
  path: readonly (string | number)[];
  message: string;
  hint: string;
}

const withSchema = namesIn(
  "additionalItems additionalProperties contains contentSchema else if items not propertyNames then unevaluatedItems " +
    "unevaluatedProperties",
);
const withSchemas = namesIn("allOf anyOf items oneOf prefixItems");
const withSchemaMap = namesIn("$defs definitions dependencies dependentSchemas patternProperties properties");
const withoutSchema = namesIn(
  "$anchor $dynamicAnchor $dynamicRef $id $recursiveAnchor $recursiveRef $ref $schema const dependentRequired enum " +
    "exclusiveMaximum exclusiveMinimum format maxContains maxItems maxLength maxProperties maximum minContains minItems " +
    "minLength minProperties minimum multipleOf nullable pattern required type uniqueItems",
);
const validating = new Set([...withSchema, ...withSchemas, ...withSchemaMap, ...withoutSchema]);

/** Notes for people and other programs, some of them near a keyword in spelling. */
const annotating = namesIn(
  "$comment $vocabulary contentEncoding contentMediaType default deprecated description discriminator enumDescriptions " +
    "enumNames errorMessage example examples externalDocs id in markdownDescription meta name note notes options order " +
    "propertyOrder propertyOrdering readOnly strict title titles when writeOnly xml",
);

/** All formats that are checked; what else is written there accepts any text. */
export const checkedFormats = namesIn(
  "binary byte date date-time double duration email float hostname int32 int64 ipv4 ipv6 iso-date-time iso-time " +
    "json-pointer json-pointer-uri-fragment password regex relative-json-pointer time uri uri-reference uri-template " +
    "url uuid",
);

/** Keywords that draft-07 does not have. It ignores them. */
const notInDraft07 = namesIn(
  "dependentRequired dependentSchemas maxContains minContains prefixItems unevaluatedItems unevaluatedProperties",
);

function namesIn(list: string): ReadonlySet<string> {
  return new Set(list.split(" "));
}

/** Keywords that a misspelt one may mean: the shortest are near too many other words. */
const likely = [...validating].filter((keyword) => !["if", "then", "else", "not"].includes(keyword));

/** What people write who know another language for schemas. */
const otherWords: Readonly<Record<string, string>> = {
  max: "maximum, maxLength or maxItems",
  min: "minimum, minLength or minItems",
  optional: "required, a list of names",
  property: "properties",
  regex: "pattern",
};

const mostSlips = 20;

/**
 * Misspelt keywords and unknown formats of a schema, of the first 20 the nearest name. JSON Schema lets both pass, so a
 * misspelt one accepts everything. An unknown keyword that is near no other is a note of the author.
 */
export function findSchemaSlips(schema: unknown): readonly SchemaSlip[] {
  const slips: SchemaSlip[] = [];
  const isOld = isRecord(schema) && /draft-0[67]/.test(String(schema["$schema"]));
  const seen = new Set<object>();
  const queue: { value: unknown; place: Place | null }[] = [{ value: schema, place: null }];
  const references = referredKeys(schema);
  // By hand, so that depth cannot exhaust the stack; a YAML anchor may lead back to where it stands.
  for (const { value, place } of queue) {
    if (slips.length >= mostSlips) break;
    if (!isRecord(value) || seen.has(value)) continue;
    seen.add(value);
    for (const [key, item] of Object.entries(value)) {
      const here: Place = { above: place, key };
      const slip = references.has(key) ? null : slipOf(key, item, isOld);
      if (slip !== null) slips.push({ path: pathTo(here), ...slip });
      if (withSchema.has(key)) queue.push({ value: item, place: here });
      if (withSchemas.has(key) && Array.isArray(item)) {
        for (const [index, one] of item.entries()) queue.push({ value: one, place: { above: here, key: index } });
      }
      if (withSchemaMap.has(key) && isRecord(item)) {
        for (const [name, one] of Object.entries(item)) queue.push({ value: one, place: { above: here, key: name } });
      }
    }
  }
  return slips;
}

/** Paths are made of the places of slips alone: together, all those of a deep schema would be as long as its square. */
interface Place {
  readonly above: Place | null;
  readonly key: string | number;
}

function pathTo(place: Place): readonly (string | number)[] {
  const path: (string | number)[] = [];
  for (let at: Place | null = place; at !== null; at = at.above) path.push(at.key);
  return path.toReversed();
}

function slipOf(key: string, value: unknown, isOld: boolean): Pick<SchemaSlip, "message" | "hint"> | null {
  if (key === "format" && typeof value === "string" && !checkedFormats.has(value)) {
    const nearest = nearestName(value, checkedFormats);
    return {
      message: `JSON Schema format "${value}" is not known, so any string passes`,
      hint: nearest === null ? "Use pattern to check it" : `Did you mean "${nearest}"?`,
    };
  }
  if (isOld && notInDraft07.has(key)) {
    return {
      message: `JSON Schema draft-07 has no keyword "${key}", so it checks nothing`,
      hint: "Set $schema to https://json-schema.org/draft/2020-12/schema, or remove $schema",
    };
  }
  if (validating.has(key) || annotating.has(key) || key.startsWith("x-")) return null;
  const message = `JSON Schema has no keyword "${key}", so it checks nothing`;
  const other = Object.hasOwn(otherWords, key) ? otherWords[key] : undefined;
  if (other !== undefined) return { message, hint: `Use ${other}` };
  const nearest = nearestName(key, likely);
  return nearest === null ? null : { message, hint: `Did you mean "${nearest}"?` };
}

/** Keys at the top that a `$ref` leads into: these are names of the author, whatever they look like. */
function referredKeys(schema: unknown): ReadonlySet<string> {
  if (!isRecord(schema)) return new Set();
  const found = new Set<string>();
  const seen = new Set<unknown>();
  const queue: unknown[] = [schema];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (typeof next !== "object" || next === null || seen.has(next)) continue;
    seen.add(next);
    for (const [key, value] of Object.entries(next)) {
      if (key === "$ref" && typeof value === "string") found.add(/^#\/([^/]+)\//.exec(value)?.[1] ?? "");
      else queue.push(value);
    }
  }
  return found;
}
