import { randomInt } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { Transaction } from "kysely";
import type { Database, Tables } from "./tables.js";

/** A deadlock, and a serialization failure: PostgreSQL asks for the same again. */
const conflicts = new Set(["40P01", "40001"]);
const mostTries = 5;

export const isConflict = (error: unknown): boolean => conflicts.has(codeOf(error) ?? "");

export function codeOf(error: unknown): string | null {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : null;
}

/** Does what one statement or one transaction does, again if it met another one. */
export async function retryConflicts<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      // Each try waits for the one before it.
      return await work();
    } catch (error) {
      if (tries === mostTries || !isConflict(error)) throw error;
      await setTimeout(randomInt(5 * 2 ** tries, 15 * 2 ** tries));
    }
  }
}

/** Runs a transaction, again if it met another one. */
export function inTransaction<T>(
  database: Database,
  work: (transaction: Transaction<Tables>) => Promise<T>,
): Promise<T> {
  return retryConflicts(() => database.transaction().execute(work));
}

/** What an error says, whatever was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
