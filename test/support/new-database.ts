import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { inject } from "vitest";

const run = promisify(execFile);

/** The address of an empty database on the cluster that all files of `pnpm test:postgres` share. */
export async function newDatabase(): Promise<string> {
  const host = encodeURIComponent(inject("postgres") ?? "");
  const urlOf = (name: string): string => `postgres://kindlm@/${name}?host=${host}`;
  const name = `results_${randomBytes(4).toString("hex")}`;
  await run("psql", [urlOf("postgres"), "-qc", `create database ${name}`]);
  return urlOf(name);
}
