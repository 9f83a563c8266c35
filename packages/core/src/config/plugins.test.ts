import path from "node:path";
import { describe, expect, it } from "vitest";
import {
  loadedProject,
  loadProject,
  minimalConfig,
  renderAll,
  renderDiagnostic,
} from "../__fixtures__/config-project.js";

const files = { "plugins/alert.ts": "", "guard.mjs": "" };
const config = (plugins: string, more = ""): string => minimalConfig(undefined, `plugins: ${plugins}${more}`);

describe("plugins", () => {
  it("are files with an export, options and a deadline, in their order", async () => {
    const entries =
      "[./plugins/alert.ts, './guard.mjs#strict', { module: guard.mjs, with: { a: ['${A}'] }, timeout: 2s }]";
    const loaded = await loadedProject({ "kindlm.yaml": config(entries), ...files }, { env: { A: "from-env" } });
    expect(
      loaded.plugins.map(({ findingOf: _findingOf, file, ...plugin }) => ({ ...plugin, file: path.basename(file) })),
    ).toEqual([
      { written: "./plugins/alert.ts", file: "alert.ts", exportName: "default", options: null, timeoutMs: 5_000 },
      { written: "./guard.mjs#strict", file: "guard.mjs", exportName: "strict", options: null, timeoutMs: 5_000 },
      {
        written: "guard.mjs",
        file: "guard.mjs",
        exportName: "default",
        options: { a: ["from-env"] },
        timeoutMs: 2_000,
      },
    ]);
    expect(loaded.plugins.every(({ file }) => path.isAbsolute(file))).toBe(true);
    expect(loaded.secretNames).toContain("A");
    const said = loaded.plugins.map((plugin) => renderDiagnostic(plugin.findingOf({ message: "No" }).diagnostic));
    expect(said).toEqual(["invalid kindlm.yaml:3:11 No", "invalid kindlm.yaml:3:31 No", "invalid kindlm.yaml:3:63 No"]);
  });

  it.each([
    ["./plugins/alert.ts", ['invalid kindlm.yaml:3:10 "plugins" must be a list, but it is a string']],
    ["[./alrt.ts]", ['CONFIG_FILE_REF_ERROR kindlm.yaml:3:11 Plugin "./alrt.ts" not found']],
    ["[{ module: ./alrt.ts#x }]", ['CONFIG_FILE_REF_ERROR kindlm.yaml:3:21 Plugin "./alrt.ts" not found']],
    ["[{ modul: guard.mjs }]", ['invalid kindlm.yaml:3:13 Unknown key "modul" | Did you mean "module"?']],
    [
      "[{ module: guard.mjs, options: {} }]",
      ['invalid kindlm.yaml:3:32 Unknown key "options" | Valid keys: module, with, timeout'],
    ],
    ["[{ module: guard.mjs, timeout: 0 }]", ["invalid kindlm.yaml:3:41 A deadline must be more than 0"]],
    [
      "[../guard.mjs]",
      [
        'invalid kindlm.yaml:3:11 "../guard.mjs" is outside the folder of the config | Move the file into it, or set allow_outside: true at the top level',
      ],
    ],
    [
      "[guard.mjs, ./guard.mjs]",
      ['invalid kindlm.yaml:3:22 The plugin "./guard.mjs" is listed twice, with the same options | Remove one of them'],
    ],
    [
      "[{ module: guard.mjs, with: { hook: '${NO_SUCH}' } }]",
      [
        "invalid kindlm.yaml:3:46 The environment variable NO_SUCH is not set | Set it in the environment or in a .env file next to the config",
      ],
    ],
  ])("%s", async (plugins, expected) => {
    const loaded = await loadProject({ "kindlm.yaml": config(plugins), ...files });
    expect(loaded.success ? [] : renderAll(loaded.error)).toEqual(expected);
  });

  it("are worth a warning where one that hangs would take the whole time of a trial", async () => {
    const plugins = "[{ module: guard.mjs, timeout: 4s }, plugins/alert.ts]";
    const written = config(plugins, "\ntimeouts: { trial: 5s }");
    const loaded = await loadedProject({ "kindlm.yaml": written, ...files });
    expect(loaded.warnings.map(renderDiagnostic)).toEqual([
      "warning kindlm.yaml:3:47 A hanging hook would take 5 s, but a trial has only 5 s | Set a shorter timeout for the plugin",
    ]);
  });

  it("of several configs serve the whole run, once each", async () => {
    const other = config("[guard.mjs, { module: guard.mjs, with: 1 }]").replace("name: s", "name: other");
    const project = { "a.yaml": config("[./guard.mjs]"), "b.yaml": other, ...files };
    const loaded = await loadedProject(project, { paths: ["a.yaml", "b.yaml"] });
    expect(loaded.plugins.map(({ written, options }) => [written, options])).toEqual([
      ["./guard.mjs", null],
      ["guard.mjs", 1],
    ]);
  });
});
