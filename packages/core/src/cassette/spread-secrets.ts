import { isRecord } from "../values/json.js";
import { bodyRoom, parseJson } from "../values/parse-json.js";

/** One text of one event, and how to put another in its place. */
interface Leaf {
  text: string;
  put(text: string): void;
}

/** The JSON of a server-sent event, or of a line. */
const payload = /^(?:data:[ \t]?)?(\{.*\})[ \t]*\r?$/m;

/**
 * A model that says a secret says it token by token, so that no event of the stream has it whole. Strings in the
 * same place of successive events are read as one; where that holds a secret, the first has it masked and the
 * others are empty. All other events stay as they are.
 */
export function withoutSpreadSecrets(parts: readonly string[], clean: (text: string) => string): readonly string[] {
  const events = parts.map((part) => {
    const written = payload.exec(part)?.[1] ?? "";
    const parsed = parseJson(written, bodyRoom);
    return { part, written, value: parsed.success ? parsed.data : null, isChanged: false };
  });
  const places = new Map<string, Leaf[]>();
  for (const event of events) {
    visitTexts(event.value, indexOf(event.value, 0), (place, text, put) => {
      const leaf: Leaf = {
        text,
        put(masked) {
          put(masked);
          event.isChanged = true;
        },
      };
      const before = places.get(place);
      if (before === undefined) places.set(place, [leaf]);
      else before.push(leaf);
    });
  }
  for (const leaves of places.values()) maskTogether(leaves, clean);
  return events.map(({ part, written, value, isChanged }) =>
    isChanged ? part.replace(written, () => JSON.stringify(value)) : part,
  );
}

function maskTogether(leaves: readonly Leaf[], clean: (text: string) => string): void {
  const [first] = leaves;
  // What every event repeats, such as the name of the model, is not split text.
  if (first === undefined || leaves.every(({ text }) => text === first.text)) return;
  const together = clean(leaves.map(({ text }) => text).join(""));
  if (together === leaves.map(({ text }) => clean(text)).join("")) return;
  leaves.forEach(({ put }, order) => put(order === 0 ? together : ""));
}

function visitTexts(
  value: unknown,
  place: string,
  found: (place: string, text: string, put: (text: string) => void) => void,
): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    const at = `${place}/${Array.isArray(value) ? indexOf(item, key) : key}`;
    if (typeof item === "string") found(at, item, (text) => void Reflect.set(value, key, text));
    else visitTexts(item, at, found);
  }
}

/** Parts of an answer that come side by side have numbers; their position in an event says nothing. */
function indexOf(item: unknown, position: string | number): string {
  return String(isRecord(item) && typeof item["index"] === "number" ? item["index"] : position);
}
