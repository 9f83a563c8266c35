import { splitExport } from "./source/source-folder.js";

const head = `// Checks in JavaScript, as they were written for promptfoo: they get the answer, and the variables in context.vars.
function toResult(value, threshold) {
  if (typeof value === "boolean") return value;
  if (typeof value === "number") return { pass: value >= (threshold ?? Number.MIN_VALUE), score: value };
  return { pass: value.pass, score: value.score, message: value.reason };
}
`;

/** The module of the checks in JavaScript, which grows while assertions are converted. */
export class CheckFile {
  readonly name = "checks.mjs";
  readonly #functions: string[] = [];
  readonly #imports: string[] = [];

  /** Null while it has no check. */
  text(): string | null {
    if (this.#functions.length === 0) return null;
    return `${this.#imports.join("")}${this.#imports.length > 0 ? "\n" : ""}${head}\n${this.#functions.join("\n")}`;
  }

  /** Adds a check, and gives its place. `code` is an expression, the body of a function, or the file of one. */
  add(code: string, threshold: number | null): string {
    const name = `check${this.#functions.length + 1}`;
    const call = code.startsWith("file://") ? this.#imported(code, name) : inline(code);
    const limit = threshold === null ? "" : `, ${threshold}`;
    const result = `toResult(await (${call})(trial.output ?? "", { vars, prompt: "" })${limit})`;
    this.#functions.push(`export async function ${name}(trial, vars = {}) {\n  return ${result};\n}\n`);
    return `./${this.name}#${name}`;
  }

  #imported(code: string, name: string): string {
    const { file, name: member } = splitExport(code);
    const path = file.startsWith(".") || file.startsWith("/") ? file : `./${file}`;
    this.#imports.push(`import * as ${name}File from ${JSON.stringify(path)};\n`);
    return member === null ? `${name}File.default` : `${name}File.${member} ?? ${name}File.default?.${member}`;
  }
}

/** An expression, or the body of a function, as promptfoo tells them apart. */
function inline(code: string): string {
  const isBody = /(?:^|[;\n{}]\s*)return\b/.test(code);
  return isBody
    ? `async (output, context) => {\n${code}\n}`
    : `async (output, context) => (${code.replace(/;\s*$/, "")})`;
}
