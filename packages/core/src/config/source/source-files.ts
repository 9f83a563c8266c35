import path from "node:path";
import { attempt } from "../../errors/boundary.js";
import { messageOf } from "../../errors/message-of.js";
import { kindlmError } from "../../errors/kindlm-error.js";
import { mebibyte, readBytes, UnreadableFile } from "../../files/open-for-reading.js";
import { systemCodeOf } from "../../files/store-error.js";
import { failure, success, type Result } from "../../result.js";
import type { ConfigEnvironment } from "../config-environment.js";
import { findingAt, type Finding, type FindingText } from "./finding.js";
import type { SourceText } from "./source-text.js";
import { parseYaml, type YamlDocument } from "./yaml-document.js";

const mostBytes = 10 * mebibyte;
/** From here on the files of a config are large, characters. */
const large = 100_000;

/** Why a file cannot be used: `missing` when there is none of that name. */
export interface FileProblem {
  kind: "missing" | "unreadable";
  /** Goes on a sentence that starts with the name of the file, such as `not found`. */
  reason: string;
}

/** The files of one load, in which each is read once. */
export class SourceFiles {
  readonly #cwd: string;
  readonly #texts = new Map<string, Promise<Result<SourceText, FileProblem>>>();
  readonly #expectLarge: () => void;
  /** Receives each place that the load depends on, as {@link ConfigEnvironment.onDependency} does. */
  readonly note: NonNullable<ConfigEnvironment["onDependency"]>;
  #next = 0;
  #length = 0;

  /** @param expectLarge - called once, when what was read is large */
  constructor(cwd: string, expectLarge: () => void = () => {}, note: ConfigEnvironment["onDependency"] = () => {}) {
    this.#cwd = cwd;
    this.#expectLarge = expectLarge;
    this.note = note;
  }

  /** A path as the user would type it: relative to the working folder where it is below it. */
  shown(file: string): string {
    const relative = path.relative(this.#cwd, file);
    const isBelow = relative !== "" && !relative.startsWith("..") && !path.isAbsolute(relative);
    return (isBelow ? relative : file).split(path.sep).join("/");
  }

  /** The text of a file, UTF-8, without a byte order mark. `limit` is in bytes. */
  text(file: string, limit = mostBytes): Promise<Result<SourceText, FileProblem>> {
    const known = this.#texts.get(file);
    if (known !== undefined) return known;
    this.note(file, "file");
    const order = this.#next;
    this.#next += 1;
    const reading = readText(file, limit).then((read) => {
      if (!read.success) return read;
      const length = this.#length;
      this.#length += read.data.length;
      if (length < large && this.#length >= large) this.#expectLarge();
      return success({ path: file, file: this.shown(file), text: read.data, order });
    });
    this.#texts.set(file, reading);
    return reading;
  }

  /** Drops what was read: a run may take hours, and the rows of a dataset are in its plan. What is asked for later is read again. */
  forget(): void {
    this.#texts.clear();
  }

  /** A YAML or JSON file. A failure holds findings that are placed in it, or a problem of the file itself. */
  async yaml(file: string): Promise<Result<YamlDocument, FileProblem | readonly Finding[]>> {
    const source = await this.text(file);
    if (!source.success) return source;
    const parsed = await parseYaml(source.data);
    if (parsed.success) return parsed;
    return failure(
      parsed.error.map((problem) => {
        const text: FindingText = { code: "CONFIG_PARSE_ERROR", message: problem.message, hint: problem.hint };
        return findingAt(source.data, problem.range, text);
      }),
    );
  }
}

async function readText(file: string, limit: number): Promise<Result<string, FileProblem>> {
  const bytes = await attempt(
    () => readBytes(file, limit),
    (cause) => kindlmError("CONFIG_FILE_REF_ERROR", messageOf(cause), { cause }),
  );
  if (!bytes.success) return failure(problemOf(bytes.error.cause));
  const buffer = bytes.data;
  const decoded = await attempt(
    () => new TextDecoder("utf-8", { fatal: true }).decode(buffer),
    (cause) => kindlmError("CONFIG_FILE_REF_ERROR", "not UTF-8", { cause }),
  );
  return decoded.success ? decoded : failure({ kind: "unreadable", reason: "is not UTF-8 text" });
}

/** What the system says of a file that it does not give. */
export function problemOf(cause: unknown): FileProblem {
  if (cause instanceof UnreadableFile) return { kind: "unreadable", reason: cause.reason };
  const systemCode = systemCodeOf(cause) ?? "";
  if (systemCode === "ENOENT" || systemCode === "ENOTDIR") return { kind: "missing", reason: "not found" };
  const reason = systemCode === "EACCES" ? "cannot be read: permission denied" : `cannot be read: ${systemCode}`;
  return { kind: "unreadable", reason };
}
