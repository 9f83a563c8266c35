import { addressPasswords } from "../../redaction/address-passwords.js";
import { isRecord } from "../../values/json.js";
import { isSecretName } from "./secret-literals.js";

const secretHeader = /auth|key|token|secret|cookie|password/i;
const scheme = /^[A-Za-z]+\s+/;

/**
 * Secrets that are written in a config, although they should not be: passwords in addresses, headers and variables of
 * programs that are named like a secret. What a placeholder stands for is known from the environment.
 */
export function writtenSecrets(config: unknown): readonly string[] {
  const found = new Set<string>();
  const take = (value: unknown): void => {
    if (typeof value !== "string" || value.includes("${")) return;
    found.add(value).add(value.replace(scheme, ""));
  };
  const takeNamed = (held: unknown, isSecret: (name: string) => boolean): void => {
    if (isRecord(held)) for (const [name, value] of Object.entries(held)) if (isSecret(name)) take(value);
  };
  const visit = (value: unknown): void => {
    if (typeof value === "string") addressPasswords(value).forEach(take);
    else if (Array.isArray(value)) value.forEach(visit);
    else if (isRecord(value)) {
      takeNamed(value["headers"], isHeader);
      takeNamed(value["env"], isSecretName);
      // Tests are what is said, and by far the largest part.
      for (const [key, item] of Object.entries(value)) if (key !== "tests") visit(item);
    }
  };
  visit(config);
  return [...found];
}

function isHeader(name: string): boolean {
  return secretHeader.test(name);
}
