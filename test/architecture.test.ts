import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join, resolve } from "node:path";
import type TypeScript from "typescript";
import { describe, expect, it } from "vitest";
import { commands } from "../packages/cli/src/commands/registry.js";
import { sharedFolders } from "../scripts/structure/member-rules.js";
import { reportersForPeople } from "../packages/cli/src/reporters/registry.js";
import { assertionDefinitions } from "../packages/core/src/assertions/registry.js";
import { providerDefinitions } from "../packages/core/src/providers/registry.js";
import { formats } from "../packages/core/src/reporters/registry.js";
import { targetKinds } from "../packages/core/src/targets/registry.js";

// An import would look for the names of its exports, which takes longer than to parse all sources.
const ts: typeof TypeScript = createRequire(import.meta.url)("typescript");

const root = resolve(import.meta.dirname, "..");
const alreadyRead = new Map<string, string>();
const read = (path: string): string => {
  const text = alreadyRead.get(path) ?? readFileSync(join(root, path), "utf8");
  alreadyRead.set(path, text);
  return text;
};
const alreadyParsed = new Map<string, TypeScript.SourceFile>();
const parse = (path: string): TypeScript.SourceFile => {
  const source = alreadyParsed.get(path) ?? ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest, true);
  alreadyParsed.set(path, source);
  return source;
};

function filesUnder(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((path) => !/(^|\/)(node_modules|dist)\//.test(path));
}

function foldersIn(folder: string): string[] {
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory() && entry.name !== "__fixtures__").map(({ name }) => name);
}

const everything = ["packages/core/src", "packages/cli/src", "packages/viewer/src"].flatMap(filesUnder);
const sources = everything.filter(
  (path) => /\.tsx?$/.test(path) && !/\.test\.ts$|\/(__fixtures__|generated)\//.test(path),
);
const linesOf = (path: string): number => read(path).trimEnd().split("\n").length;

/** The files in which some node satisfies `matches`, with the line of each. A file without `mentions` has no such node. */
function findNodes(paths: readonly string[], mentions: RegExp, matches: (node: TypeScript.Node) => boolean): string[] {
  const candidates = paths.filter((path) => mentions.test(read(path)));
  return candidates.flatMap((path) => {
    const source = parse(path);
    const found: string[] = [];
    const visit = (node: TypeScript.Node): void => {
      if (matches(node)) found.push(`${path}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`);
      ts.forEachChild(node, visit);
    };
    visit(source);
    return found;
  });
}

/** True for a use of a global of this name, such as `process` in `process.env`. */
function isGlobal(node: TypeScript.Node, name: string): boolean {
  if (!ts.isIdentifier(node) || node.text !== name) return false;
  const { parent } = node;
  return (ts.isPropertyAccessExpression(parent) || ts.isElementAccessExpression(parent)) && parent.expression === node;
}

it("looks at the sources of all packages", () => {
  expect(sources).toContain("packages/viewer/src/report-data.ts");
  expect(sources).toContain("packages/core/src/index.ts");
  expect(sources).toContain("packages/cli/src/bin.ts");
});

describe("files", () => {
  /** That none has more than 250 is a rule of lint. */
  it("have mostly fewer than 80", () => {
    expect(sources.filter((path) => linesOf(path) < 80).length / sources.length).toBeGreaterThan(0.5);
  });

  it("and their folders are named in kebab-case", () => {
    const isNamedWell = (path: string): boolean =>
      /^([a-z0-9]+(-[a-z0-9]+)*\/|__fixtures__\/)*[a-z0-9]+(-[a-z0-9]+)*(\.test|\.d)?\.(tsx?|css)$/.test(path);
    expect(everything.filter((path) => !isNamedWell(path))).toEqual([]);
  });

  it("have no catch-all names", () => {
    const catchAll = /(^|\/)(utils?|helpers?|common|types?|misc|shared|lib)(\/|\.ts$)/;
    expect(sources.filter((path) => catchAll.test(path))).toEqual([]);
  });

  it("leave nothing for later", () => {
    // What kindlm import leaves to its users is marked in the files that it writes.
    const words = new RegExp(
      ["TO", "FIX"].map((start, index) => `\\b${start}${["DO", "ME"][index]}\\b(?!\\(import\\))`).join("|"),
    );
    const texts = [...everything, ...["scripts", "test", "docs", "bench"].flatMap(filesUnder)];
    expect(texts.filter((path) => words.test(read(path)))).toEqual([]);
  });

  it("give the reason of each suppression on its line", () => {
    const suppressed = everything.flatMap((path) =>
      read(path)
        .split("\n")
        .filter((line) => /(eslint|oxlint)-disable|@ts-(expect-error|ignore)/.test(line))
        .filter((line) => !/-disable.* -- \w+|@ts-expect-error \w+/.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    );
    expect(suppressed).toEqual([]);
  });
});

describe("exceptions", () => {
  /** Everyone else goes through `attempt` or `attemptSync`. */
  const edges = new Set([
    "packages/core/src/errors/boundary.ts",
    // Errors themselves are made of it, so it stands below them.
    "packages/core/src/errors/message-of.ts",
    // commander reports usage errors by throwing.
    "packages/cli/src/main.ts",
    // Data that a page in a browser was given.
    "packages/viewer/src/parse-report.ts",
    // Browsers throw where a page may keep nothing.
    "packages/viewer/src/state/storage.ts",
    // A stream to a file is an edge of its own.
    "packages/cli/src/sinks/line-file.ts",
    // Works before core is loaded.
    "packages/cli/src/process/compile-cache.ts",
  ]);

  it("are caught at the edges only", () => {
    expect(
      findNodes(
        sources.filter((path) => !edges.has(path)),
        /\btry\s*\{/,
        ts.isTryStatement,
      ),
    ).toEqual([]);
  });

  /** Callbacks of libraries that know no other way to refuse; the call around them is an `attempt`. */
  const callbacks = new Set([
    "packages/core/src/json-schema/create-ajv.ts",
    "packages/core/src/matchers/within-time.ts",
    // What a tool of the user emits is refused in its own call.
    "packages/core/src/values/to-json.ts",
  ]);

  it("are not thrown by core", () => {
    const core = sources.filter((path) => path.startsWith("packages/core/") && !callbacks.has(path));
    expect(findNodes(core, /\bthrow\b/, ts.isThrowStatement)).toEqual([]);
  });
});

describe("start-up", () => {
  it("makes no segmenter, which takes as long as half of a bare Node", () => {
    const isMadeAtOnce = (node: TypeScript.Node): boolean =>
      ts.isNewExpression(node) &&
      node.expression.getText() === "Intl.Segmenter" &&
      ts.findAncestor(node, (above) => ts.isFunctionLike(above)) === undefined;
    expect(findNodes(sources, /\bSegmenter\b/, isMadeAtOnce)).toEqual([]);
  });
});

describe("what leaves the command line", () => {
  const choke = "packages/cli/src/sinks/";
  const cli = sources.filter((path) => path.startsWith("packages/cli/"));
  /** Of `node:fs` and its promises, what reads. */
  const reading = new Set([
    "access",
    "existsSync",
    "lstat",
    "readFile",
    "readFileSync",
    "readdir",
    "realpath",
    "stat",
    "watch",
  ]);

  it("is written to files by the sinks alone, which redact", () => {
    const opensFiles = (node: TypeScript.Node): boolean => {
      if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
        const module = node.moduleSpecifier.text;
        if (!/^(node:)?fs(\/promises)?$/.test(module)) return false;
        const bindings = node.importClause?.namedBindings;
        if (bindings === undefined || !ts.isNamedImports(bindings)) return true;
        return !bindings.elements.every(({ name, propertyName }) => reading.has((propertyName ?? name).text));
      }
      // Not by `import()`, `require` or `process.getBuiltinModule` either.
      if (!ts.isCallExpression(node)) return false;
      const [asked] = node.arguments;
      return asked !== undefined && ts.isStringLiteral(asked) && /^(node:)?fs(\/|$)/.test(asked.text);
    };
    expect(
      findNodes(
        // What is kept there is made of code alone.
        cli.filter((path) => !path.startsWith(choke) && !path.endsWith("/compile-cache.ts")),
        /\bfs\b/,
        opensFiles,
      ),
    ).toEqual([]);
    expect(findNodes(cli, /\bfs\b/, opensFiles)).not.toEqual([]);
  });
});

describe("the program", () => {
  const [bin, start] = ["packages/cli/src/bin.ts", "packages/cli/src/start.ts"] as const;

  it("begins with a file that loads next to nothing, since every start waits for it, and awaits nothing", () => {
    const imported = parse(bin).statements.filter((one) => ts.isImportDeclaration(one));
    const loaded = imported.filter(({ importClause }) => importClause?.phaseModifier !== ts.SyntaxKind.TypeKeyword);
    const names = loaded.map(({ moduleSpecifier }) => moduleSpecifier.getText().slice(1, -1));
    expect(names.filter((name) => !name.startsWith("node:"))).toEqual(["./process/compile-cache.js", "./version.js"]);
    expect(findNodes([bin], /\bawait\b/, ts.isAwaitExpression)).toEqual([]);
  });

  /** Values of the program's own that may be in what it writes: nobody has to redact them. */
  const ownValues = new Set(["version", "question"]);

  function isOwnText(text: TypeScript.Expression | undefined): boolean {
    if (text === undefined || !ts.isTemplateExpression(text)) return text !== undefined && ts.isStringLiteralLike(text);
    return text.templateSpans.every(({ expression }) => ts.isIdentifier(expression) && ownValues.has(expression.text));
  }

  const isStream = (node: TypeScript.Node): node is TypeScript.PropertyAccessExpression =>
    ts.isPropertyAccessExpression(node) &&
    isGlobal(node.expression, "process") &&
    /^std(out|err)$/.test(node.name.text);

  /** Looked at, handed to the sinks by way of the environment, or written to in the program's own words. */
  function isUsedWell({ parent, name }: TypeScript.PropertyAccessExpression): boolean {
    if (ts.isPropertyAssignment(parent)) {
      const call = parent.parent.parent;
      return ts.isCallExpression(call) && call.expression.getText() === "createEnvironment";
    }
    // What a library says with `console` is no part of a report.
    if (ts.isNewExpression(parent)) return parent.expression.getText() === "Console" && name.text === "stderr";
    if (!ts.isPropertyAccessExpression(parent)) return false;
    const call = parent.parent;
    return parent.name.text === "write"
      ? ts.isCallExpression(call) && isOwnText(call.arguments[0])
      : parent.name.text === "isTTY";
  }

  it("hands the streams of the process to the sinks, which redact, and writes nothing else to them but its own words", () => {
    const streams = findNodes([bin, start], /\bprocess\b/, isStream);
    expect(streams.length).toBeGreaterThan(2);
    expect(findNodes([bin, start], /\bprocess\b/, (node) => isStream(node) && !isUsedWell(node))).toEqual([]);
    const isAlias = (node: TypeScript.Node): boolean =>
      ts.isIdentifier(node) && node.text === "process" && !isGlobal(node, "process");
    expect(findNodes([bin, start], /\bprocess\b/, isAlias)).toEqual([]);
  });
});

describe("what is read from files", () => {
  /** The state of the machine, which is a file by name only. */
  const ofSystem = new Set([
    "packages/core/src/processes/signal-process.ts",
    "packages/core/src/processes/spawn-without-inherited.ts",
    "packages/core/src/processes/stray-processes.ts",
  ]);
  /** Files of the package itself, next to its code. */
  const ofPackage = new Set(["packages/cli/src/reporters/html/embed.ts", "packages/cli/src/package-files.ts"]);

  it("comes from where pipes, devices and files without an end are refused", () => {
    const reads = (node: TypeScript.Node): boolean =>
      ts.isImportSpecifier(node) && /^(readFile|createReadStream)/.test((node.propertyName ?? node.name).text);
    const candidates = sources.filter((path) => !ofSystem.has(path) && !ofPackage.has(path));
    expect(
      ["readFile", "readFileSync", "createReadStream"].flatMap((name) =>
        findNodes(candidates, new RegExp(`\\b${name}\\b`), reads),
      ),
    ).toEqual([]);
    expect(findNodes([...ofSystem], /\breadFileSync\b/, reads)).not.toEqual([]);
  });
});

describe("what core writes to files", () => {
  /** All that opens files other than for reading, or could. What the first two write has the type of redacted text. */
  const known = [
    "packages/core/src/files/write-atomically.ts",
    "packages/core/src/journal/group-appender.ts",
    // Reads.
    "packages/core/src/files/open-for-reading.ts",
    // Writes the id of the process and the name of the machine.
    "packages/core/src/journal/run-lock.ts",
    // Makes an empty file beside a cassette or a baseline.
    "packages/core/src/files/lock-file.ts",
    // Opens the device that is always empty.
    "packages/core/src/processes/spawn-without-inherited.ts",
    // The home of a coding agent holds its settings, and is removed with the trial.
    "packages/core/src/targets/agent/agent-target.ts",
    // The folder of a trial holds what the agent and its seed put there.
    "packages/core/src/workspace/boundary.ts",
    "packages/core/src/workspace/tree.ts",
    "packages/core/src/workspace/workspace.ts",
  ];
  const writing = /^(append|copy|cp|open|truncate|write)|^createWriteStream/;

  it("is text that has passed the redactor", () => {
    const opensFiles = (node: TypeScript.Node): boolean => {
      if (!ts.isImportDeclaration(node) || !ts.isStringLiteral(node.moduleSpecifier)) return false;
      if (!/^(node:)?fs(\/promises)?$/.test(node.moduleSpecifier.text)) return false;
      const bindings = node.importClause?.namedBindings;
      if (bindings === undefined || !ts.isNamedImports(bindings)) return true;
      return bindings.elements.some(({ name, propertyName }) => writing.test((propertyName ?? name).text));
    };
    const core = sources.filter((path) => path.startsWith("packages/core/"));
    const found = new Set(findNodes(core, /\bfs\b/, opensFiles).map((place) => place.replace(/:\d+$/, "")));
    expect([...found].toSorted()).toEqual(known.toSorted());
    expect(read("packages/core/src/files/write-atomically.ts")).toMatch(/pieces: Iterable<RedactedText>/);
    // Nothing but tokens, which must be read again.
    expect(core.filter((path) => /\bunmasked\(/.test(read(path)))).toEqual([
      "packages/core/src/redaction/redacted-text.ts",
      "packages/core/src/upload/client/credentials.ts",
    ]);
    expect(read("packages/core/src/journal/group-appender.ts")).toMatch(/Buffer\.from\(text\)/);
  });
});

describe("the process", () => {
  it("is touched by the program that starts it only", () => {
    // Signals to a process group can be sent by nothing else: `kill` is imported there, and the id of the process.
    // Whether another process lives is told by nothing else either.
    const allowed = new Set([
      "packages/cli/src/bin.ts",
      "packages/cli/src/start.ts",
      "packages/core/src/processes/signal-process.ts",
      // What callers of the library leave out.
      "packages/core/src/values/process-defaults.ts",
      // Its process is a worker of its own.
      "packages/core/src/module-worker/module-worker.ts",
    ]);
    const others = sources.filter((path) => !allowed.has(path));
    expect(findNodes(others, /\bprocess\b/, (node) => isGlobal(node, "process"))).toEqual([]);
    expect(
      findNodes(others, /\bprocess\b/, (node) => ts.isStringLiteral(node) && /^(node:)?process$/.test(node.text)),
    ).toEqual([]);
  });

  it("has no console for the packages", () => {
    expect(findNodes(sources, /\bconsole\b/, (node) => isGlobal(node, "console"))).toEqual([]);
  });
});

describe("families", () => {
  const kebab = (name: string): string => name.replaceAll("_", "-");

  it.each([
    {
      folder: "packages/core/src/assertions",
      shared: sharedFolders.assertions,
      registered: assertionDefinitions.map(({ type }) => type),
    },
    {
      folder: "packages/core/src/providers",
      shared: sharedFolders.providers,
      registered: providerDefinitions.map(({ type }) => type),
    },
    { folder: "packages/core/src/reporters", shared: [], registered: formats.map(({ name }) => name) },
    { folder: "packages/cli/src/reporters", shared: [], registered: reportersForPeople.map(({ name }) => name) },
    {
      folder: "packages/core/src/targets",
      shared: sharedFolders.targets,
      registered: targetKinds,
    },
    {
      folder: "packages/cli/src/commands",
      shared: [],
      // `kindlm watch` is a flag of `kindlm test` under its own name.
      registered: commands.map(({ name }) => name).filter((name) => name !== "watch"),
    },
  ])("$folder has a folder for each member of its registry, and no other", ({ folder, shared, registered }) => {
    const members = foldersIn(folder).filter((name) => !shared.some((one) => one === name));
    expect(members.toSorted()).toEqual(registered.map(kebab).toSorted());
  });

  it("of assertions name a file like its folder", () => {
    const expected = assertionDefinitions.map(({ type }) => kebab(type)).map((name) => `${name}/${name}.ts`);
    expect(sources).toEqual(expect.arrayContaining(expected.map((path) => `packages/core/src/assertions/${path}`)));
  });
});

describe("the public API", () => {
  it("is a list of explicit named exports", () => {
    const path = "packages/core/src/index.ts";
    const source = parse(path);
    const isNamedExport = (statement: TypeScript.Statement): boolean =>
      ts.isExportDeclaration(statement) &&
      statement.moduleSpecifier !== undefined &&
      statement.exportClause !== undefined &&
      ts.isNamedExports(statement.exportClause);
    expect(source.statements.filter((statement) => !isNamedExport(statement)).map((one) => one.getText())).toEqual([]);
  });

  it("is the only barrel", () => {
    expect(everything.filter((path) => basename(path) === "index.ts")).toEqual(["packages/core/src/index.ts"]);
  });
});

describe("dependencies", () => {
  const manifests = ["packages/core", "packages/cli"].map(
    (folder) => JSON.parse(read(`${folder}/package.json`)) as Record<string, Record<string, string> | undefined>,
  );

  it("at run time each have a reason on record", () => {
    const record = read("docs/adr/0003-runtime-dependencies.md");
    const names = manifests.flatMap(({ dependencies, peerDependencies }) =>
      Object.keys({ ...dependencies, ...peerDependencies }),
    );
    const external = names.filter((name) => !name.startsWith("@kindlm/"));
    expect(external.filter((name) => !record.includes(`| \`${name}\` |`))).toEqual([]);
  });

  it("of the workspace are pinned exactly", () => {
    const { devDependencies } = JSON.parse(read("package.json")) as { devDependencies: Record<string, string> };
    const loose = Object.entries(devDependencies).filter(([, range]) => !/^(npm:[\w-]+@)?\d+\.\d+\.\d+$/.test(range));
    expect(loose).toEqual([]);
  });
});
