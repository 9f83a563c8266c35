import path from "node:path";

const scripts = new Set([".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx"]);

/** True for a file whose imports can be found. */
export function isScript(file: string): boolean {
  return scripts.has(path.extname(file));
}

const specifierPattern = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*["'](\.{1,2}\/[^"'\n]+)["']/g;

/**
 * What a script imports by a relative path, each as the absolute paths that may be meant, likeliest first. One that
 * is in a comment is found too; that does no harm.
 */
export function importsIn(file: string, text: string): readonly (readonly string[])[] {
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
