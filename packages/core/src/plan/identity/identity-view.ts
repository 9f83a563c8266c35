import path from "node:path";
import { secretValues } from "../../redaction/secret-values.js";
import { isRecord } from "../../values/json.js";
import { createNamedFiles, type NamedFiles } from "./named-files.js";

/** What the fields of a config are seen through, so that the same config has the same identity everywhere. */
export interface IdentityView {
  /** Relative to the project, with slashes: checkouts lie in different folders. */
  placeOf(file: string): string;
  /** A command line whose program is named as `placeOf` does where it is one of the project. */
  lineOf(command: readonly string[]): readonly string[];
  /** The files with hashes of their contents; null for one that cannot be read. */
  contentsOf(files: readonly string[]): readonly (readonly [place: string, hash: string | null])[];
  files: NamedFiles;
  /** Without what came from secrets: a rotated key does not make another test. */
  withoutSecrets(value: unknown): unknown;
  /** An address without the secrets in its user and query. Its host counts, wherever it came from. */
  addressOf(url: string): string;
}

export interface IdentitySettings {
  /** Absolute folder of the project. */
  root: string;
  env: Readonly<Record<string, string | undefined>>;
  secretNames: readonly string[];
  /** Hashes of contents by absolute path. */
  contents: ReadonlyMap<string, string>;
  /** Of the files that `watch` of the config selects; null if it selects none. */
  codeHash?: string | null;
}

/** Shorter values occur in unrelated strings. */
const shortestSecret = 4;
const mask = "${}";

export function createIdentityView({ root, env, secretNames, contents }: IdentitySettings): IdentityView {
  const secrets = secretValues(env, secretNames)
    .filter((value) => value.length >= shortestSecret)
    .toSorted((a, b) => b.length - a.length);
  const maskText = (text: string): string => secrets.reduce((masked, value) => masked.replaceAll(value, mask), text);
  const withoutSecrets = (value: unknown): unknown => {
    if (typeof value === "string") return maskText(value);
    if (Array.isArray(value)) return value.map(withoutSecrets);
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutSecrets(item)]));
  };
  const placeOf = (file: string): string => path.relative(root, file).split(path.sep).join("/") || ".";
  return {
    placeOf,
    files: createNamedFiles(root),
    lineOf: ([program = "", ...args]) => [program.startsWith(root + path.sep) ? placeOf(program) : program, ...args],
    contentsOf: (files) => files.map((file) => [placeOf(file), contents.get(file) ?? null]),
    withoutSecrets,
    addressOf(url) {
      const [, scheme = "", user = "", place = "", query = ""] =
        /^(\w+:\/\/)?([^/@?#]*@)?([^?#]*)(.*)$/s.exec(url) ?? [];
      return `${scheme}${maskText(user)}${place}${maskText(query)}`;
    },
  };
}
