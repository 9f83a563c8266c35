import ts from "typescript";
import { walk } from "./read-sources.js";

/**
 * Finds the files that declare a field of the result, or a gate: those that must change with it. These are declarations:
 *
 * - a key of a type: `interface X { servedBy: string }`
 * - a key of a schema or of a shape, which is what its value is made of: `servedBy: nullable(text)`
 * - an entry of a list of names, such as one of volatile or redacted fields: `["servedBy", …]`, `{ servedBy: true }`
 * - the name of a member of a family: `defineGate({ name: "judge_avg", … })`
 *
 * An object that is built (`{ servedBy: last.model }`) declares nothing: the compiler finds it if the field changes.
 * The words to look for must mean one thing only. `errored`, for example, is a gate, a status, and a count.
 */
export function findDeclarations(sources, word) {
  const names = spellingsOf(word);
  return sources.flatMap((source) => {
    if (!names.some((name) => source.text.includes(name))) return [];
    const makers = schemaMakers(source.tree);
    let isDeclared = false;
    walk(source.tree, (node) => {
      isDeclared ||= isDeclaration(node, new Set(names), makers);
    });
    return isDeclared ? [`${source.name} (${word})`] : [];
  });
}

/** Finds the files in which a word is a key of a type or of any object. */
export function findKeys(sources, word) {
  const names = spellingsOf(word);
  return sources.flatMap((source) => {
    if (!names.some((name) => source.text.includes(name))) return [];
    let isKey = false;
    walk(source.tree, (node) => {
      const isNamed = ts.isPropertySignature(node) || ts.isPropertyAssignment(node);
      isKey ||= isNamed && names.includes(nameOf(node));
    });
    return isKey ? [`${source.name} (${word})`] : [];
  });
}

/** As the config has it, and as the code has it. */
function spellingsOf(word) {
  return [word, word.replaceAll(/_(\w)/g, (_all, letter) => letter.toUpperCase())];
}

const nameOf = ({ name }) => (ts.isIdentifier(name) || ts.isStringLiteral(name) ? name.text : null);

function isDeclaration(node, names, makers) {
  if (ts.isPropertySignature(node)) return names.has(nameOf(node));
  if (ts.isStringLiteral(node) && names.has(node.text)) return isListed(node) || isNameOfMember(node);
  if (!ts.isPropertyAssignment(node) || !names.has(nameOf(node))) return false;
  const { initializer } = node;
  const maker = leftmost(initializer);
  return initializer.kind === ts.SyntaxKind.TrueKeyword || (maker !== null && makers(maker));
}

const isListed = ({ parent }) => ts.isArrayLiteralExpression(parent);

/** `name: "judge_avg"` in what a `define` function takes. */
function isNameOfMember({ parent }) {
  if (!ts.isPropertyAssignment(parent) || !ts.isObjectLiteralExpression(parent.parent)) return false;
  const call = parent.parent.parent;
  return ts.isCallExpression(call) && /^define[A-Z]/.test(call.expression.getText());
}

/** The name that an expression begins with: `nullable` of `nullable(text).describe("…")`. */
function leftmost(expression) {
  let node = expression;
  while (ts.isCallExpression(node) || ts.isPropertyAccessExpression(node)) node = node.expression;
  return ts.isIdentifier(node) ? node.text : null;
}

/** Whether a name of the file makes schemas or shapes, or is one. */
function schemaMakers(tree) {
  const imported = new Set();
  for (const statement of tree.statements) {
    if (!ts.isImportDeclaration(statement) || statement.importClause === undefined) continue;
    if (!/\/shape\/|\/schema-parts\/|deferred-zod/.test(statement.moduleSpecifier.text)) continue;
    const { namedBindings } = statement.importClause;
    if (namedBindings === undefined) continue;
    const bindings = ts.isNamespaceImport(namedBindings) ? [namedBindings] : namedBindings.elements;
    for (const { name } of bindings) imported.add(name.text);
  }
  return (name) => imported.has(name) || /(?:Shape|Schema)$/.test(name);
}
