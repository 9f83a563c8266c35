/** Strings that look like a key of a well-known service. */
const keyPattern =
  /\b(?:sk-[A-Za-z0-9_-]{8,}|AIza[A-Za-z0-9_-]{20,}|gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}|xox[abeprs]-[\w-]{10,}|AKIA[A-Z0-9]{16}|hf_[A-Za-z0-9]{16,}|gsk_[A-Za-z0-9]{16,})|\bBearer\s+(?!\$\{)[^\s"'$]{6,}/gi;

/** A value whose name says that it is secret. */
const assignmentPattern =
  /((?:api[_-]?key|token|secret|password|passwd|authorization)["']?\s*:\s*["']?)(?!["'$\s]|(?:Bearer|Basic|Token)\s+\$\{)([^\s"',}#]+(?:\s+[^\s"',}#]+)?)/gi;

export function looksLikeSecret(text: string): boolean {
  keyPattern.lastIndex = 0;
  return keyPattern.test(text);
}

/** The text with everything that looks like a secret replaced, character for character, so that columns stay. */
export function maskSecrets(text: string): string {
  return text
    .replaceAll(keyPattern, (found) => "*".repeat(found.length))
    .replaceAll(assignmentPattern, (_found, before: string, value: string) => before + "*".repeat(value.length));
}

/** Whether an environment variable of this name is to be treated as a secret. */
export function isSecretName(name: string): boolean {
  return /(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|AUTH)(?:_|$)/i.test(name);
}
