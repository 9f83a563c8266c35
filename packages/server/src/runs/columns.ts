import { sql, type RawBuilder } from "kysely";

/** Columns of rows in their order: name and type. */
type Types<Name extends string> = readonly (readonly [name: Name, type: string])[];
type Value = string | number | boolean | null;

const special = /["\\]/;

/** A value in an array, as PostgreSQL reads it. */
function write(value: Value): string {
  if (value === null) return "null";
  if (typeof value !== "string") return String(value);
  // To replace nothing takes five times as long as to see that there is nothing.
  return special.test(value) ? `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"` : `"${value}"`;
}

/** Collects rows by column. */
export class Columns<Name extends string> {
  readonly #columns: readonly { name: Name; values: string[] }[];

  constructor(types: Types<Name>) {
    this.#columns = types.map(([name]) => ({ name, values: [] }));
  }

  add(row: Readonly<Record<Name, Value>>): void {
    for (const { name, values } of this.#columns) values.push(write(row[name]));
  }

  /** Each column as PostgreSQL writes an array. */
  finish(): string[] {
    return this.#columns.map(({ values }) => `{${values.join(",")}}`);
  }
}

/** The rows of columns, as something to select from that is named `x`. */
export function rowsOf<Name extends string>(types: Types<Name>, columns: readonly string[]): RawBuilder<unknown> {
  const arrays = types.map(([, type], index) => sql`${columns[index]}::${sql.raw(type)}[]`);
  return sql`unnest(${sql.join(arrays)}) as x(${sql.join(types.map(([name]) => sql.ref(name)))})`;
}
