import { lstat } from "node:fs/promises";
import { homedir, platform } from "node:os";
import path from "node:path";
import { attempt } from "../../errors/boundary.js";
import { kindlmError, type KindlmError } from "../../errors/kindlm-error.js";
import { lockFile } from "../../files/lock-file.js";
import { mebibyte, readText } from "../../files/open-for-reading.js";
import { privateFile, privateFolder } from "../../files/private-modes.js";
import { readError, systemCodeOf } from "../../files/store-error.js";
import { writeAtomically } from "../../files/write-atomically.js";
import { unmasked } from "../../redaction/redacted-text.js";
import { failure, success, type Result } from "../../result.js";
import { mapOf } from "../../shape/compound.js";
import { readStored } from "../../shape/read-stored.js";
import { record } from "../../shape/record.js";
import { literal, word } from "../../shape/scalars.js";
import type { Clock } from "../../values/clock.js";
import { parseJson } from "../../values/parse-json.js";

type Env = Readonly<Record<string, string | undefined>>;

const fileShape = record({ version: literal(1), servers: mapOf(record({ token: word, savedAt: word })) });

/**
 * The tokens of a person, by the address of their server. Nobody else may read the file or its folder: what others could
 * read, or could have replaced, is refused instead of used.
 */
export class Credentials {
  readonly path: string;
  readonly #clock: Clock;

  constructor(env: Env, clock: Clock) {
    this.path = credentialsPath(env);
    this.#clock = clock;
  }

  /** By address. Fails with CLOUD_AUTH_ERROR if the file cannot be used. */
  async read(): Promise<Result<ReadonlyMap<string, string>>> {
    for (const [place, mode] of [
      [path.dirname(this.path), privateFolder],
      [this.path, privateFile],
    ] as const) {
      const checked = await checkMode(place, mode);
      if (!checked.success) return checked;
      if (!checked.data) return success(new Map());
    }
    const read = await attempt(
      () => readText(this.path, mebibyte),
      (cause) => readError(this.path, cause),
    );
    if (!read.success) return failure(unusable(this.path, "cannot be read", "Log in again: kindlm login", read.error));
    const parsed = parseJson(read.data);
    const stored = parsed.success ? readStored(fileShape, parsed.data) : parsed;
    if (!stored.success) {
      return failure(unusable(this.path, "is damaged", "Remove the file and log in again: kindlm login"));
    }
    return success(new Map(Object.entries(stored.data.servers).map(([server, { token }]) => [server, token])));
  }

  save(server: string, token: string): Promise<Result<void>> {
    return this.#change((tokens) => tokens.set(server, token));
  }

  remove(server: string): Promise<Result<void>> {
    return this.#change((tokens) => tokens.delete(server));
  }

  async #change(change: (tokens: Map<string, string>) => unknown): Promise<Result<void>> {
    // Makes the folder, with the mode that is checked next.
    const locked = await lockFile(this.path, this.path, this.#clock);
    if (!locked.success) return locked;
    const read = await this.read();
    const written = read.success ? await this.#write(read.data, change) : read;
    await locked.data();
    return written;
  }

  #write(tokens: ReadonlyMap<string, string>, change: (tokens: Map<string, string>) => unknown): Promise<Result<void>> {
    const changed = new Map(tokens);
    change(changed);
    const savedAt = new Date(this.#clock.now()).toISOString();
    const servers = Object.fromEntries([...changed].map(([server, token]) => [server, { token, savedAt }]));
    const text = `${JSON.stringify({ version: 1, servers }, null, 2)}\n`;
    return writeAtomically(this.path, this.path, [unmasked(text)]);
  }
}

function credentialsPath(env: Env): string {
  const given = env["XDG_CONFIG_HOME"];
  // As the specification of these folders has it, a relative path is ignored.
  const isGiven = given !== undefined && path.isAbsolute(given);
  const home = env["HOME"] ?? env["USERPROFILE"] ?? homedir();
  return path.join(isGiven ? given : path.join(home, ".config"), "kindlm", "credentials.json");
}

/** False if nothing is there. Windows has no such modes: there, the folder of a person is private by itself. */
async function checkMode(place: string, mode: number): Promise<Result<boolean>> {
  const found = await attempt(
    () => lstat(place),
    (cause) => readError(place, cause),
  );
  if (!found.success) {
    if (systemCodeOf(found.error.cause) === "ENOENT") return success(false);
    return failure(unusable(place, "cannot be read", "Check its permissions", found.error));
  }
  if (found.data.isSymbolicLink()) {
    return failure(unusable(place, "is a link", "Remove it and log in again: kindlm login"));
  }
  if (platform() === "win32" || (found.data.mode & 0o777 & ~mode) === 0) return success(true);
  const octal = (found.data.mode & 0o777).toString(8).padStart(4, "0");
  return failure(unusable(place, `is open to other users (mode ${octal})`, `Run: chmod ${mode.toString(8)} ${place}`));
}

function unusable(place: string, reason: string, hint: string, cause?: KindlmError): KindlmError {
  return kindlmError("CLOUD_AUTH_ERROR", `${place} ${reason}`, { details: { hint }, cause: cause?.cause });
}
