import { parseAst } from "rolldown/parseAst";

const getter = /Object\.defineProperty\(exports,"([\w$]+)",\{enumerable:!0,get:function\(\)\{return ([\w$]+)\}\}\)/g;

/**
 * Replaces getters that a CommonJS file exports by what they get, where that never changes. The bundler writes a getter for
 * each name that a shared file exports; to make 500 of them is a hundredth of the time of a small run.
 */
export function withPlainExports(code) {
  if (!code.includes("Object.defineProperty(exports,")) return code;
  const constant = new Set(parseAst(code).body.flatMap(constantsOf));
  return code.replaceAll(getter, (written, name, value) =>
    constant.has(value) ? `exports.${name}=${value}` : written,
  );
}

/** The names that a statement declares once and for all. */
function constantsOf(statement) {
  if (/^(Function|Class)Declaration$/.test(statement.type)) return [statement.id.name];
  if (statement.type !== "VariableDeclaration" || statement.kind !== "const") return [];
  return statement.declarations.filter(({ id }) => id.type === "Identifier").map(({ id }) => id.name);
}
