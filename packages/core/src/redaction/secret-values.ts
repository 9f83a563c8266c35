import { wordSet } from "../values/word-set.js";
import { addressPasswords, connectionSecrets } from "./address-passwords.js";

/** The last word of a variable's name that marks a secret. */
const secretWords = wordSet("KEY APIKEY TOKEN SECRET PASSWORD PASSWD PASSPHRASE CREDENTIAL PASS SSHPASS PAT");

/** Secrets whose name does not end like one. */
const secretNames = new Set(["AWS_BEARER_TOKEN_BEDROCK"]);

/**
 * The values of an environment that must not be shown: those of the variables named, those of every variable whose name
 * is that of a secret or ends like one, such as `OPENAI_API_KEY`, and the passwords and keys in addresses and connection
 * strings.
 */
export function secretValues(
  env: Readonly<Record<string, string | undefined>>,
  names: readonly string[] = [],
): readonly string[] {
  const wanted = new Set(names);
  return Object.entries(env).flatMap(([name, value]) =>
    value === undefined || value === ""
      ? []
      : [
          ...(wanted.has(name) || isSecretName(name) ? [value] : []),
          ...addressPasswords(value),
          ...connectionSecrets(value),
        ],
  );
}

function isSecretName(name: string): boolean {
  if (secretNames.has(name)) return true;
  const words = name.toUpperCase().split("_");
  const last = words.at(-1) ?? "";
  // As in PGPASSWORD. PWD alone is the working folder.
  if (last.endsWith("PASSWORD") || (last === "PWD" && words.length > 1)) return true;
  return secretWords.has(last) || secretWords.has(last.replace(/S$/, "")) || secretWords.has(last.replace(/\d+$/, ""));
}
