import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import module from "node:module";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeProject } from "../../../core/src/__fixtures__/make-project.js";
import { CompileCache } from "./compile-cache.js";

const folder = makeProject({});
const source = "exports.name = __filename; exports.double = (n) => n * 2; exports.join = require('node:path').join;";

/** Loads a module as one process would, used in this way: a loader of its own, and the writing at its end. */
function load(cache: string, use: string, code = source, day = "2026-01-01"): { exported: unknown; byNode: number } {
  const file = join(folder, "loaded.cjs");
  let byNode = 0;
  const loader: Parameters<CompileCache["install"]>[0] & object = {
    require: undefined,
    _compile() {
      byNode += 1;
    },
  };
  const opened = new CompileCache(cache);
  opened.install(loader);
  const loaded = new module.Module(file);
  loader._compile?.call(loaded, code, file);
  opened.write(day, () => [use]);
  return { exported: loaded.exports, byNode };
}

const entriesOf = (cache: string) => readdirSync(cache).map((file) => join(cache, file));
const usesIn = (file: string) => /\n([\w -]+)$/.exec(readFileSync(file, "latin1").slice(0, -8))?.[1];
const expected = { name: join(folder, "loaded.cjs"), double: expect.any(Function), join };

describe("the cache of compiled code", () => {
  it("gives what the source gives, from the first run on", () => {
    const cache = join(folder, "plain");
    expect([load(cache, "test"), load(cache, "test")].map(({ exported }) => exported)).toEqual([expected, expected]);
    expect(entriesOf(cache)).toHaveLength(1);
  });

  it("gets what each use compiled, once a day, of the first twelve of a day", () => {
    const cache = join(folder, "uses");
    const seen = ["a", "a", "b", "a"].map((use) => {
      load(cache, use);
      return entriesOf(cache).map(usesIn);
    });
    const [first = "", both = ""] = [seen[0]?.[0], seen[2]?.[0]];
    expect(first).toMatch(/^2026-01-01 [0-9a-f]{8}$/);
    expect(both).toMatch(new RegExp(`^${first} [0-9a-f]{8}$`));
    expect(seen).toEqual([[first], [first], [both], [both]]);
    for (let use = 0; use < 12; use += 1) load(cache, "more".repeat(use + 1));
    expect(entriesOf(cache).map((file) => usesIn(file)?.split(" ").length)).toEqual([13]);
    load(cache, "a", source, "2026-01-02");
    expect(entriesOf(cache).map(usesIn)).toEqual([first.replace("01 ", "02 ")]);
  });

  it("takes uses that differ by folders and numbers for one", () => {
    const cache = join(folder, "alike");
    for (const use of [
      "json=/tmp/a1/report.json",
      "json=/tmp/b2/c/report.json",
      "C:\\tmp\\report.json",
      "report-2026.json",
      "report-1130.json",
    ]) {
      load(cache, use);
    }
    const uses = () => entriesOf(cache).map((file) => usesIn(file)?.split(" ").slice(1).length);
    expect(uses()).toEqual([2]);
    for (const exitCode of ["0", "1", "0"]) load(cache, exitCode);
    expect(uses()).toEqual([4]);
  });

  it("keeps the code that a process has not called", () => {
    const cache = join(folder, "larger");
    const called = `exports.value = (function later() { return ${"1 + ".repeat(500)}1; })();`;
    const code = `if (globalThis.isCalled) { ${called} }`;
    Object.assign(globalThis, { isCalled: true });
    load(cache, "a", code);
    Reflect.deleteProperty(globalThis, "isCalled");
    const [before = 0] = entriesOf(cache).map((file) => statSync(file).size);
    load(cache, "b", code);
    const [after = 0] = entriesOf(cache).map((file) => statSync(file).size);
    expect(after - before).toBe(9);
  });

  it.each([
    ["cut off", (file: string) => truncateSync(file, 200)],
    ["empty", (file: string) => truncateSync(file, 0)],
    ["with one other byte", (file: string) => writeFileSync(file, readFileSync(file).fill(0x55, 100, 101))],
  ])("compiles again where an entry is %s, and writes it again", (name, damage) => {
    const cache = join(folder, name);
    load(cache, "test");
    const whole = entriesOf(cache).map((file) => readFileSync(file).length);
    for (const file of entriesOf(cache)) damage(file);
    expect(load(cache, "test").exported).toEqual(expected);
    expect(entriesOf(cache).map((file) => readFileSync(file).length)).toEqual(whole);
  });

  it("has another entry for another source of the same length", () => {
    const cache = join(folder, "changed");
    load(cache, "test", "exports.value = 1;");
    expect(load(cache, "test", "exports.value = 2;").exported).toEqual({ value: 2 });
    expect(entriesOf(cache)).toHaveLength(2);
  });

  it.each([
    ["imports while it runs, which V8 refuses to kept code", "exports.load = (name) => import(name);", undefined],
    ["begins with a line for the shell", "#!/usr/bin/env node\nexports.a = 1;", undefined],
    ["is an ECMAScript module", "export const a = 1;", undefined],
  ])("leaves to Node what %s", (_, code) => {
    expect(load(join(folder, "left"), "test", code).byNode).toBe(1);
  });

  it.each(["exports.text = 'plain';", "exports.text = '\u2713 \u00fc';"])(
    "reads files that end with .cjs: %s",
    (code) => {
      const file = join(folder, "read.cjs");
      writeFileSync(file, code);
      let read = "";
      const loaded = Object.assign(new module.Module(file), { _compile: (text: string) => (read = text) });
      const handlers: NonNullable<Parameters<CompileCache["install"]>[1]>["_extensions"] = {};
      new CompileCache(join(folder, "read")).install(
        { require: undefined, _compile: () => undefined },
        { builtinModules: [], _extensions: handlers },
      );
      handlers[".cjs"]?.(loaded, file);
      expect(read).toBe(code);
    },
  );

  it("does without where its folder cannot be made", () => {
    const file = join(folder, "file");
    writeFileSync(file, "");
    expect(load(join(file, "cache"), "test").exported).toEqual(expected);
  });
});
