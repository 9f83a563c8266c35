/** A piece of JSON that is written already, such as a bracket. */
class Written {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * Writes a value that `JSON.parse` made, however deep it nests: `JSON.stringify` goes a step down the stack for each
 * level.
 */
export function writeJson(value: unknown): string {
  const pieces: string[] = [];
  const left: unknown[] = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (next instanceof Written) pieces.push(next.text);
    else if (typeof next === "object" && next !== null) left.push(...piecesOf(next).toReversed());
    else pieces.push(JSON.stringify(next));
  }
  return pieces.join("");
}

function piecesOf(value: object): readonly unknown[] {
  if (Array.isArray(value)) {
    const items = value.flatMap((item: unknown, index) => (index === 0 ? [item] : [comma, item]));
    return [new Written("["), ...items, new Written("]")];
  }
  const written: [string, unknown][] = Object.entries(value);
  const entries = written.flatMap(([key, item], index) => [
    new Written(`${index === 0 ? "" : ","}${JSON.stringify(key)}:`),
    item,
  ]);
  return [new Written("{"), ...entries, new Written("}")];
}

const comma = new Written(",");
