import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import ts from "typescript";

/** The source of the packages: what is built, without tests, fixtures, and what is generated. Paths are relative to the repository. */
export function readSources() {
  const folders = readdirSync("packages").map((name) => `packages/${name}/src`);
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true }).map((name) => `${folder}/${name}`),
  );
  const names = files.filter(
    (name) => /\.tsx?$/.test(name) && !name.endsWith(".test.ts") && !/\/(__fixtures__|generated)\//.test(name),
  );
  return names.toSorted().map((name) => {
    const text = readFileSync(name, "utf8");
    const tree = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
    return { name, text, lines: text.split("\n").length - 1, tree };
  });
}

/** The files of the project that each file imports or re-exports, types included. */
export function readImports(sources) {
  const known = new Set(sources.map(({ name }) => name));
  return new Map(
    sources.map(({ name, tree }) => {
      const found = new Set();
      const visit = (node) => {
        const specifier = ts.isCallExpression(node) ? dynamicSpecifier(node) : node.moduleSpecifier;
        if (specifier !== undefined && ts.isStringLiteral(specifier) && specifier.text.startsWith(".")) {
          const target = path.posix.join(path.posix.dirname(name), specifier.text);
          for (const file of [target.replace(/\.js$/, ".ts"), target.replace(/\.js$/, ".tsx")])
            if (known.has(file) && file !== name) found.add(file);
        }
        ts.forEachChild(node, visit);
      };
      visit(tree);
      return [name, found];
    }),
  );
}

function dynamicSpecifier(call) {
  return call.expression.kind === ts.SyntaxKind.ImportKeyword ? call.arguments[0] : undefined;
}

/** Calls back for each node of a file. */
export function walk(tree, callback) {
  const visit = (node) => {
    callback(node);
    ts.forEachChild(node, visit);
  };
  visit(tree);
}
