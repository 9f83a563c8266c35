import { FolderLockedError, OpenFolderError } from "./folder-lock.js";
import { NewerSchemaError } from "./migrate.js";
import { OldPostgresError } from "./open-database.js";
import { NoFlushError } from "./pglite-pool.js";
import { codeOf } from "./retry-conflicts.js";

/** What is wrong with the database, and what its operator can do. */
export interface DatabaseFailure {
  message: string;
  fix: string;
}

const diskFull = {
  message: "The disk of the database is full",
  fix: "Free space there, or keep less: retention is a setting of each project",
};
const unreachable = {
  message: "The database does not answer",
  fix: "Check that PostgreSQL runs, and that --database has its address",
};
const wrongPassword = {
  message: "The database refused the user or the password",
  fix: "Check both in --database. A password in a URL is percent-encoded; PGPASSWORD works too",
};
const notWritable = {
  message: "The folder of the database cannot be written",
  fix: "Change its owner or its permissions, or choose another folder with --data",
};

/** By the codes of PostgreSQL and of the system. */
const byCode: Readonly<Record<string, DatabaseFailure>> = {
  ENOSPC: diskFull,
  EDQUOT: diskFull,
  "53100": diskFull,
  ECONNREFUSED: unreachable,
  ECONNRESET: unreachable,
  EPIPE: unreachable,
  ENOENT: unreachable,
  ENOTFOUND: unreachable,
  EAI_AGAIN: unreachable,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  ETIMEDOUT: unreachable,
  "08006": unreachable,
  "57P01": {
    message: "The database was stopped",
    fix: "The server connects again by itself once the database is back",
  },
  "57P02": { message: "The database crashed", fix: "The server connects again by itself once the database is back" },
  "57P03": { message: "The database is starting or stopping", fix: "Wait a moment" },
  "53300": {
    message: "The database has no free connection",
    fix: "Raise max_connections of PostgreSQL: each server uses up to 10",
  },
  "25006": { message: "The database is read-only", fix: "Give --database the address of the primary server" },
  "28P01": wrongPassword,
  "28000": wrongPassword,
  "3D000": {
    message: "The database does not exist",
    fix: "Create it with createdb, or correct its name in --database",
  },
  "42501": {
    message: "The user of the database may not create tables",
    fix: "Make the user the owner of the database, or grant it CREATE on the schema public",
  },
  ERR_INVALID_URL: {
    message: "--database is not an address",
    fix: "Write it like postgres://user:password@host:5432/name. Special characters are percent-encoded",
  },
  EACCES: notWritable,
  EPERM: notWritable,
  EROFS: notWritable,
};

/** What `pg` says without a code. */
const byText: readonly (readonly [RegExp, DatabaseFailure])[] = [
  [
    /^Connection terminated|^timeout exceeded when trying to connect|^Client has encountered a connection error/,
    unreachable,
  ],
  [
    /^PGlite failed to initialize/,
    {
      message: "The embedded database did not start",
      fix: "Check that its disk has free space. If its files are damaged, import your last export into a new folder",
    },
  ],
  [/client password must be a string/, wrongPassword],
];

/** Null for an error outside of the database, such as a mistake in the server. */
export function explainFailure(error: unknown): DatabaseFailure | null {
  if (!(error instanceof Error)) return null;
  const { message } = error;
  if (error instanceof FolderLockedError) {
    return { message, fix: "Stop that process, or choose another folder with --data. Several servers need PostgreSQL" };
  }
  if (error instanceof OpenFolderError) return { message, fix: "Only its owner may open it" };
  if (error instanceof NewerSchemaError) {
    return { message, fix: "Start the version of the server that wrote it, or a later one" };
  }
  if (error instanceof OldPostgresError) return { message, fix: "Update PostgreSQL, or use the embedded database" };
  if (error instanceof NoFlushError) {
    const fix = "Install the version of @electric-sql/pglite that @kindlm/server names, or use PostgreSQL";
    return { message, fix };
  }
  return byCode[codeOf(error) ?? ""] ?? byText.find(([pattern]) => pattern.test(message))?.[1] ?? null;
}
