import { stat } from "node:fs/promises";
import path from "node:path";
import { attempt } from "../errors/boundary.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { messageOf } from "../errors/message-of.js";

/** The files that a script imports by a relative path, absolute; none if the file is not a script. */
export async function findImports(file: string, text: string): Promise<readonly string[]> {
  if (!isScript(file)) return [];
  const found: string[] = [];
  for (const candidates of importsIn(file, text)) {
    for (const candidate of candidates) {
      if (!(await isFile(candidate))) continue;
      found.push(candidate);
      break;
    }
  }
  return found;
}

async function isFile(file: string): Promise<boolean> {
  const found = await attempt(
    () => stat(file),
    (cause) => kindlmError("CONFIG_FILE_REF_ERROR", messageOf(cause), { cause }),
  );
  return found.success && found.data.isFile();
}

const scripts = new Set([".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx"]);

/** True for a file whose imports can be found. */
function isScript(file: string): boolean {
  return scripts.has(path.extname(file));
}

const specifierPattern = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*["'](\.{1,2}\/[^"'\n]+)["']/g;

/**
 * What a script imports by a relative path, each as the absolute paths that may be meant, likeliest first. One that
 * is in a comment is found too; that does no harm.
 */
function importsIn(file: string, text: string): readonly (readonly string[])[] {
  return [...text.matchAll(specifierPattern)].map(([, specifier = ""]) => {
    const named = path.resolve(path.dirname(file), specifier);
    // TypeScript is imported by the name that it is compiled to.
    const source = named.replace(/\.([mc]?)js(x?)$/, ".$1ts$2");
    const endings = [...scripts, ".json"];
    return [...new Set([named, source, ...endings.map((ending) => named + ending)])].concat(
      endings.map((ending) => path.join(named, `index${ending}`)),
    );
  });
}
