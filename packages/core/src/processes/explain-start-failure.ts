import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import path from "node:path";
import { attempt } from "../errors/boundary.js";
import { messageOf } from "../errors/message-of.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { readFirstLine } from "../files/read-first-line.js";
import { systemCodeOf } from "../files/store-error.js";
import type { ProcessRequest } from "./process-runner.js";

export interface StartFailure {
  message: string;
  cause: Error;
}

/** What a path leads to, for who runs this; `closed`: a folder on the way may not be entered, so nobody knows. */
type Found = "missing" | "closed" | "folder" | "plain" | "program";

/** Where programs are looked for without a PATH, by the C library. */
const defaultPath = "/bin:/usr/bin";
const mostNamed = 3;
/** Windows looks for programs in its own way, and its codes can be trusted. */
const isPosix = path.sep === "/";

/**
 * Why a program did not start. The code of the system alone misleads: it says EACCES of a program that is not there if
 * any folder of PATH may not be entered, and ENOENT of a script whose interpreter is missing.
 */
export async function explainStartFailure(
  { command: [program], cwd, env }: Pick<ProcessRequest, "command" | "cwd" | "env">,
  thrown: unknown,
): Promise<StartFailure> {
  const cause = thrown instanceof Error ? thrown : new Error(messageOf(thrown));
  const words = wordsOf(systemCodeOf(cause), cwd);
  const reason = words !== null && isPosix ? await reasonFor(program, cwd, env["PATH"] ?? defaultPath) : null;
  return { message: `Could not start ${program}: ${reason ?? words ?? cause.message}`, cause };
}

/** What a code means if the files say nothing else; null if it is not about files. */
function wordsOf(code: string | null, cwd: string): string | null {
  if (code === "ENOENT") {
    return isPosix ? "it needs a file that does not exist" : `program not found, or the folder ${cwd} does not exist`;
  }
  if (code === "ENOTDIR") return "program not found";
  return code === "EACCES" ? "permission denied" : null;
}

/** Null if everything seems to be in its place. */
async function reasonFor(program: string, cwd: string, searchPath: string): Promise<string | null> {
  const folder = await find(cwd);
  if (folder === "missing") return `the folder ${cwd} does not exist`;
  if (folder === "plain" || folder === "program") return `${cwd} is not a folder`;
  if (!(await isAllowed(cwd, constants.X_OK))) return `no permission to enter the folder ${await closedFolder(cwd)}`;
  if (program.includes("/")) return reasonAt(path.resolve(cwd, program), "it");
  const closed: string[] = [];
  for (const entry of searchPath.split(":")) {
    // An empty entry is the working folder.
    const file = path.resolve(cwd, entry, program);
    const found = await find(file);
    if (found === "closed") closed.push(entry);
    if (found === "plain" || found === "program") return reasonAt(file, file);
  }
  const named = `${closed.slice(0, mostNamed).join(", ")}${closed.length > mostNamed ? ", …" : ""}`;
  const unknown = closed.length === 0 ? "" : `; no permission to enter ${named}, which is in PATH`;
  return `program not found${unknown}`;
}

/** `subject`: how the sentence names the file. */
async function reasonAt(file: string, subject: string): Promise<string | null> {
  switch (await find(file)) {
    case "missing":
      return "program not found";
    case "closed":
      return `no permission to enter the folder ${await closedFolder(path.dirname(file))}`;
    case "folder":
      return `${subject} is a folder`;
    case "plain":
      return `no permission to execute ${subject}`;
    case "program":
      return reasonOfInterpreter(file);
  }
}

/** A script names its own program in its first line. */
async function reasonOfInterpreter(file: string): Promise<string | null> {
  const interpreter = /^#![ \t]*(\/[^ \t]*)/.exec((await readFirstLine(file)) ?? "")?.[1];
  if (interpreter === undefined) return null;
  const found = await find(interpreter);
  if (found === "program") return null;
  return found === "missing"
    ? `its interpreter ${interpreter} does not exist`
    : `no permission to execute its interpreter ${interpreter}`;
}

async function find(file: string): Promise<Found> {
  const looked = await attempt(() => stat(file), toError);
  if (!looked.success) return systemCodeOf(looked.error.cause) === "EACCES" ? "closed" : "missing";
  if (looked.data.isDirectory()) return "folder";
  return (await isAllowed(file, constants.X_OK)) ? "program" : "plain";
}

/** The outermost folder on the way that may not be entered. */
async function closedFolder(folder: string): Promise<string> {
  const parent = path.dirname(folder);
  if (parent === folder || (await isAllowed(parent, constants.X_OK))) return folder;
  return closedFolder(parent);
}

async function isAllowed(file: string, mode: number): Promise<boolean> {
  return (await attempt(() => access(file, mode), toError)).success;
}

function toError(cause: unknown): ReturnType<typeof kindlmError<"UNKNOWN_ERROR">> {
  return kindlmError("UNKNOWN_ERROR", messageOf(cause), { cause });
}
