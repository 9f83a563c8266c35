import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Test files that do more in the long project: simulations and laws that ask `draws`, and what asks whether it is long. */
export function drawingFiles(root: string): readonly string[] {
  const folders = ["test", ...readdirSync(join(root, "packages")).map((name) => join("packages", name, "src"))];
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)),
  );
  return files.filter(
    (file) => file.endsWith(".test.ts") && /\bdraws\(|"isLong"/.test(readFileSync(join(root, file), "utf8")),
  );
}
