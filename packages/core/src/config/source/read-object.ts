import { isPlainObject } from "../../values/json.js";
import { deepest, noneMerged, type Path, type Written, type WrittenEntry } from "./written.js";

const mostRepeated = 1_000_000;

/** What a config file cannot hold. */
export interface ObjectProblem {
  path: Path;
  message: string;
  hint?: string;
}

export interface ReadObject {
  /** Its places are numbers that rise in the order of the object. */
  written: Written;
  problems: readonly ObjectProblem[];
}

/** Copies an object: what its owner does to it later changes nothing. A value that no file can hold is null, and a problem. */
export function readObject(value: unknown): ReadObject {
  const reader = new ObjectReader();
  return { written: reader.read(value, []), problems: reader.problems };
}

/** Copies plain values and numbers them in their order, which is where a finding about one is listed. */
class ObjectReader {
  readonly problems: ObjectProblem[] = [];
  readonly #ancestors = new Set<object>();
  readonly #seen = new Set<object>();
  #next = 0;
  /** How many values were read below an object that was read before. */
  #repeated = 0;

  read(value: unknown, at: Path, isRepeated = false): Written {
    const start = (this.#next += 1);
    if (isRepeated) this.#repeated += 1;
    const place = { start, end: start + 1 };
    if (typeof value !== "object" || value === null) return { value: this.#scalar(value, at), ...place, parts: null };
    const problem = this.#unfit(value, at);
    if (problem !== null) {
      this.problems.push({ path: at, ...problem });
      return { value: null, ...place, parts: null };
    }
    const wasSeen = isRepeated || this.#seen.has(value);
    this.#seen.add(value);
    this.#ancestors.add(value);
    const read = Array.isArray(value) ? this.#list(value, at, wasSeen) : this.#mapping(value, at, wasSeen);
    this.#ancestors.delete(value);
    return { ...read, ...place };
  }

  #list(list: readonly unknown[], at: Path, isRepeated: boolean): Pick<Written, "value" | "parts"> {
    const items = Array.from(list, (item, index) => this.read(item, [...at, index], isRepeated));
    return { value: items.map(({ value }) => value), parts: { items } };
  }

  #mapping(mapping: object, at: Path, isRepeated: boolean): Pick<Written, "value" | "parts"> {
    const entries: WrittenEntry[] = [];
    for (const [name, value] of Object.entries(mapping)) {
      // As if the key were not there: programs leave out what they do not know.
      if (value === undefined) continue;
      const start = (this.#next += 1);
      entries.push({ name, start, end: start + 1, item: this.read(value, [...at, name], isRepeated) });
    }
    const value = Object.fromEntries(entries.map(({ name, item }) => [name, item.value]));
    return { value, parts: { entries, merged: noneMerged } };
  }

  #scalar(value: unknown, at: Path): unknown {
    if (value === null || typeof value === "string" || typeof value === "boolean") return value;
    if (typeof value !== "number") {
      const what = value === undefined ? "undefined in a list" : `a ${typeof value}`;
      const problem = { path: at, message: `A config cannot hold ${what}` };
      const hint = 'Put it into a module and name that, such as "./tools.ts#lookup"';
      this.problems.push(typeof value === "function" ? { ...problem, hint } : problem);
      return null;
    }
    if (!Number.isFinite(value)) {
      this.problems.push({ path: at, message: `${value} is not a number that JSON can carry` });
    } else if (!Number.isSafeInteger(value) && /^-?\d+$/.test(String(value))) {
      this.problems.push({
        path: at,
        message: `${value} has more digits than a number can hold`,
        hint: 'Use a string to keep every digit; in a matcher, write { $integer: "…" }',
      });
    }
    return value;
  }

  #unfit(value: object, at: Path): Omit<ObjectProblem, "path"> | null {
    if (!Array.isArray(value) && !isPlainObject(value)) {
      const { name } = value.constructor;
      const hint = name === "Promise" ? "Await it" : "Use plain objects and lists";
      return { message: `A config cannot hold an object of the class ${name}`, hint };
    }
    if (this.#ancestors.has(value)) return { message: "An object of the config contains itself" };
    if (at.length > deepest) return { message: `Nested deeper than ${deepest} levels` };
    if (this.#repeated > mostRepeated) return { message: "The same objects are repeated too often in the config" };
    return null;
  }
}
