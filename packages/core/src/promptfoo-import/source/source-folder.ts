import path from "node:path";
import { attempt } from "../../errors/boundary.js";
import { kindlmError } from "../../errors/kindlm-error.js";
import { messageOf } from "../../errors/message-of.js";
import { mebibyte, readText, UnreadableFile } from "../../files/open-for-reading.js";
import { failure, success, type Result } from "../../result.js";
import { readYaml } from "./read-yaml.js";
import { plainNode, type SourceNode } from "./source-node.js";

/** Tests can be data; everything else is written by hand. */
const mostBytes = 256 * mebibyte;
const mostFiles = 10_000;

/** Reads the files that a config names. The error of each completes a sentence that starts with the name of the file. */
export class SourceFolder {
  /** Of the config: what references are relative to. */
  readonly folder: string;
  readonly #cwd: string;

  constructor(folder: string, cwd: string) {
    this.folder = folder;
    this.#cwd = cwd;
  }

  /** Absolute, for `file://x`, `x`, and `{{env.HOME}}`-free paths. */
  resolve(written: string): string {
    return path.resolve(this.folder, withoutScheme(written));
  }

  /** As the user would name it. */
  shown(file: string): string {
    const shown = path.relative(this.#cwd, file).replaceAll("\\", "/");
    return shown === "" ? "." : shown;
  }

  async text(file: string): Promise<Result<string, string>> {
    const read = await attempt(
      () => readText(file, mostBytes),
      (cause) => kindlmError("UNKNOWN_ERROR", reasonOf(cause)),
    );
    // A byte order mark is not part of the first word.
    return read.success ? success(read.data.replace(/^\uFEFF/, "")) : failure(read.error.message);
  }

  /** YAML, JSON or JSON Lines, by the ending of the name. */
  async data(file: string): Promise<Result<SourceNode, string>> {
    const read = await this.text(file);
    if (!read.success) return read;
    const shown = this.shown(file);
    const extension = path.extname(file).toLowerCase();
    if (extension === ".jsonl" || extension === ".ndjson") return jsonLines(read.data, shown);
    if (extension === ".json") {
      const parsed = await attempt(
        (): unknown => JSON.parse(read.data),
        (cause) => kindlmError("UNKNOWN_ERROR", messageOf(cause)),
      );
      if (parsed.success) return success(plainNode(parsed.data, shown, 1));
    }
    const parsed = readYaml(read.data, shown);
    return parsed.success ? parsed : failure(`is not valid YAML: line ${parsed.error.line}: ${parsed.error.message}`);
  }

  /** The files that a reference means, which may be a glob; empty if there is none. */
  async find(written: string): Promise<readonly string[]> {
    const plain = withoutScheme(written);
    if (!/[*?{[]/.test(plain)) return [this.resolve(plain)];
    const { glob } = await import("tinyglobby");
    const options = { cwd: this.folder, absolute: true, onlyFiles: true, followSymbolicLinks: false };
    const found = await attempt(
      () => glob(plain.replaceAll("\\", "/"), options),
      (cause) => kindlmError("UNKNOWN_ERROR", messageOf(cause)),
    );
    return found.success ? found.data.toSorted().slice(0, mostFiles) : [];
  }
}

function withoutScheme(written: string): string {
  return written.replace(/^file:\/\//, "");
}

/** `x.js:name` as file and name; the name is null without one. */
export function splitExport(written: string): { file: string; name: string | null } {
  const match = /^(.*\.(?:[cm]?[jt]s|py|rb)):([^:/\\]+)$/.exec(withoutScheme(written));
  return match === null
    ? { file: withoutScheme(written), name: null }
    : { file: match[1] ?? "", name: match[2] ?? null };
}

function reasonOf(cause: unknown): string {
  if (cause instanceof UnreadableFile) return cause.reason;
  const code = cause instanceof Error && "code" in cause ? cause.code : null;
  if (code === "ENOENT" || code === "ENOTDIR") return "does not exist";
  return code === "EACCES" ? "cannot be read: permission denied" : `cannot be read: ${messageOf(cause)}`;
}

async function jsonLines(text: string, shown: string): Promise<Result<SourceNode, string>> {
  const items: SourceNode[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const parsed = await attempt(
      (): unknown => JSON.parse(line),
      (cause) => kindlmError("UNKNOWN_ERROR", messageOf(cause)),
    );
    if (!parsed.success) return failure(`is not valid JSON in line ${index + 1}: ${parsed.error.message}`);
    items.push(plainNode(parsed.data, shown, index + 1));
  }
  return success({
    ...plainNode(
      items.map(({ value }) => value),
      shown,
      1,
    ),
    items: () => items,
  });
}
