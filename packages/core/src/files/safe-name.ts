import { createHash } from "node:crypto";

const longestName = 80;
/** Windows has devices of these names in every folder. */
const deviceNames = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;

/**
 * A name that every file system takes and keeps apart from all others: lower-case letters, digits, `.`, `_` and `-` stay
 * as they are. A name with anything else gets a short hash of what it was, since two of them may look the same without,
 * and since not all file systems distinguish upper and lower case.
 */
export function safeName(name: string): string {
  const plain = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, "-")
    .replaceAll(/^[.-]+|[.-]+$/g, "")
    .slice(0, longestName);
  if (plain === name && !deviceNames.test(plain.split(".")[0] ?? "")) return name;
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 8);
  return plain === "" ? hash : `${plain}-${hash}`;
}
