import { isAscii } from "node:buffer";
import crypto from "node:crypto";
import fs from "node:fs";
import module from "node:module";
import { dirname, join } from "node:path";
import v8 from "node:v8";
import vm from "node:vm";
import zlib from "node:zlib";

/** The part of Node's module loader that compiles the source of a CommonJS module and runs it. */
interface Loader {
  readonly require: unknown;
  _compile?: (this: NodeJS.Module, source: string, filename: string, format?: string) => unknown;
}

/** Modules of Node's loader have what {@link Loader} has. */
type LoadedModule = NodeJS.Module & Loader;

/** What reads and runs the files of an extension; Node has none for `.cjs`, and takes that of `.js`. */
interface Handlers {
  readonly builtinModules: unknown;
  _extensions?: Record<string, (loaded: LoadedModule, filename: string) => void>;
}

/** A module as a script whose value is the function around it. */
interface Compiled {
  cachedDataRejected?: boolean | undefined;
  createCachedData(): Buffer;
  runInThisContext(): Wrapped;
}

type Wrapped = (exports: unknown, require: unknown, module: unknown, filename: string, folder: string) => unknown;

/**
 * Sources that Node compiles itself: V8 cannot call `import()` from kept code, and knows a line for the shell only at
 * the very beginning, where the function around a module would stand.
 */
const unkept = /^#!|\bimport\s*\(/;

/** What an entry says of its code. */
interface Kept {
  /** The day of the uses. */
  day: string;
  /** Marks of the uses that have added to it on that day. */
  uses: readonly string[];
  /** Bytes of the code. */
  size: number;
}

interface Loaded {
  file: string;
  flags: number;
  kept: Kept;
  script: Compiled;
}

const nothing: Kept = { day: "", uses: [], size: 0 };

/** Adding takes a tenth of the time of a small run. */
const mostUses = 12;

/** The folders of a path, and long numbers as in run IDs: code hardly depends on them, and they may always be new. */
const passing = /^.*[/\\]|\d{2,}/gs;

/** Of the checksum at the end of an entry. */
const checksumBytes = 8;

/**
 * Detects accidents: whoever could forge an entry could change the code itself. A cryptographic hash of what is read at
 * each start takes several times as long, and a tenth of the start on processors without instructions for it.
 */
const checksumOf = (content: string | Buffer): string => zlib.crc32(content).toString(16).padStart(checksumBytes, "0");

/**
 * Keeps compiled code of CommonJS modules in a folder and takes it from there. All that this process loads with
 * `require` is kept, which is KindLM and its libraries: modules of users run in a worker, with its own loader. The cache
 * of Node itself (22.8 and later) is not used: a run takes a fifth longer with it.
 *
 * V8 believes the code that it is given, so an entry belongs to one source and one V8 with one set of flags, and ends
 * with a checksum of the rest, since half an entry would crash the process. V8 compiles a function when it is first called:
 * each way in which the program is used adds to an entry what it compiled, once a day. V8 marks an entry with the flags
 * of the moment in which it is written, and refuses it under others.
 */
export class CompileCache {
  readonly #folder: string;
  readonly #loaded: Loaded[] = [];
  /** Of the files that were read here, by their paths. */
  readonly #checksums = new Map<string, string>();

  /** `folder` is made if it can be. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Compiles by the cache from now on. */
  install(loader: Loader = module.prototype, handlers: Handlers = module): void {
    const compile = loader._compile;
    if (compile === undefined) return;
    const compileBy = (source: string, filename: string) => this.#compile(source, filename);
    loader._compile = function (source, filename, format) {
      const run = format === "module" ? null : compileBy(source, filename);
      if (run === null) return compile.call(this, source, filename, format);
      return run.call(this.exports, this.exports, module.createRequire(filename), this, filename, dirname(filename));
    };
    const { _extensions: handler } = handlers;
    if (handler === undefined) return;
    handler[".cjs"] = (loaded, filename) => {
      const bytes = fs.readFileSync(filename);
      // Of bytes it takes a third of the time that it takes of a string.
      this.#checksums.set(filename, checksumOf(bytes));
      loaded._compile?.(textOf(bytes), filename, "commonjs");
    };
  }

  /** Null for a source that is not CommonJS, which Node finds out in the same way. */
  #compile(source: string, filename: string): Wrapped | null {
    const flags = v8.cachedDataVersionTag();
    const checksum = this.#checksums.get(filename) ?? checksumOf(source);
    const file = join(this.#folder, `${checksum}-${source.length}-${flags}`);
    const entry = readEntry(file);
    if (entry === null && unkept.test(source)) return null;
    const script: Compiled | null = attempt(
      () => new vm.Script(module.wrap(source), { filename, ...(entry === null ? {} : { cachedData: entry.code }) }),
    );
    if (script === null) return null;
    const kept = entry === null || script.cachedDataRejected === true ? nothing : entry.kept;
    this.#loaded.push({ file, flags, kept, script });
    return script.runInThisContext();
  }

  /**
   * Adds the code that is new, as far as it was loaded under the flags of this moment. `day`: today; `use`: how the
   * program was used, with how it ended, since a run that fails early lacks the code of one that does not.
   */
  write(day: string, use: () => readonly string[]): void {
    const flags = v8.cachedDataVersionTag();
    try {
      const mark = checksumOf(JSON.stringify(use().map((word) => word.replaceAll(passing, ""))));
      for (const entry of this.#loaded) {
        const uses = entry.kept.day === day ? entry.kept.uses : [];
        if (entry.flags !== flags || uses.length >= mostUses || uses.includes(mark)) continue;
        fs.mkdirSync(this.#folder, { recursive: true });
        this.#add(entry, { day, uses: [...uses, mark] });
      }
    } catch {
      // A folder that nobody may write, or a full disk: the next run compiles again.
    }
  }

  #add(entry: Loaded, { day, uses }: Pick<Kept, "day" | "uses">): void {
    const { file, script, kept } = entry;
    const code = script.createCachedData();
    // V8 forgets functions that a long run no longer calls.
    const larger = code.length < kept.size ? readEntry(file)?.code : undefined;
    const content = Buffer.concat([larger ?? code, Buffer.from(`\n${day} ${uses.join(" ")}`)]);
    const unfinished = `${file}.${crypto.randomUUID()}`;
    fs.writeFileSync(unfinished, Buffer.concat([content, Buffer.from(checksumOf(content))]));
    fs.renameSync(unfinished, file);
    entry.kept = { day, uses, size: code.length };
  }
}

/** Characters that are bytes are read in a fifth of the time. The bundles have no others. */
function textOf(bytes: Buffer): string {
  return isAscii(bytes) ? bytes.toString("latin1") : bytes.toString();
}

/** The code comes first: V8 copies what does not begin at a multiple of eight. */
function readEntry(file: string): { code: Buffer; kept: Kept } | null {
  const entry = attempt(() => fs.readFileSync(file));
  if (entry === null) return null;
  const content = entry.subarray(0, -checksumBytes);
  if (checksumOf(content) !== entry.toString("latin1", content.length)) return null;
  const end = content.lastIndexOf("\n");
  const [day = "", ...uses] = content.toString("utf8", end + 1).split(" ");
  return { code: content.subarray(0, end), kept: { day, uses, size: end } };
}

function attempt<Result>(make: () => Result): Result | null {
  try {
    return make();
  } catch {
    return null;
  }
}
