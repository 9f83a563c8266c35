import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { rolldown } from "rolldown";

/**
 * Writes the page of the HTML report as JSON: its script, the small one that starts it, and one style sheet, which the
 * reporter puts into each report. Gives the paths of the modules that are in it.
 */
export async function bundleViewer(from, to) {
  const app = await bundleScript(from, "embedded-report.tsx");
  const starter = await bundleScript(from, "start-page.ts");
  const sheets = await Promise.all((await styleSheets(from)).map((path) => readFile(path, "utf8")));
  await mkdir(dirname(to), { recursive: true });
  const assets = { starter: withoutTags(starter.code.trim()), app: app.code.trim(), style: dense(sheets.join("\n")) };
  await writeFile(to, JSON.stringify(assets));
  return app.moduleIds;
}

/** A script of the viewer for browsers, from its entry. */
export async function bundleScript(from, entry) {
  const build = await rolldown({
    input: join(from, "src", entry),
    cwd: from,
    platform: "browser",
    // Calls with the children as arguments are shorter than those with a property for them.
    transform: {
      jsx: { runtime: "classic", pragma: "h", pragmaFrag: "Fragment" },
      inject: { h: ["preact", "h"], Fragment: ["preact", "Fragment"] },
    },
    checks: { configurationFieldConflict: false },
  });
  const { output } = await build.generate({ format: "iife", minify: true, comments: false });
  await build.close();
  return output[0];
}

/** The style sheets of the page, in the order of their names. */
export async function styleSheets(from) {
  const names = await readdir(join(from, "src"), { recursive: true });
  return names
    .filter((name) => name.endsWith(".css"))
    .toSorted()
    .map((name) => join(from, "src", name));
}

/** What would end the element around it, or turn its end into text, is written in another way. */
function withoutTags(code) {
  return code.replaceAll(/<(?=\/script|!--|script)/gi, String.raw`\x3C`);
}

/** Without comments, and with no more space than needed. Strings stay as they are. */
export function dense(style) {
  const pieces = style.replaceAll(/\/\*[^]*?\*\//g, "").split(/("[^"]*"|'[^']*')/);
  const denser = pieces.map((piece, index) =>
    index % 2 === 1
      ? piece
      : piece
          .replaceAll(/\s+/g, " ")
          .replaceAll(/ ?([{};,]) ?/g, "$1")
          .replaceAll(": ", ":")
          .replaceAll(";}", "}"),
  );
  return denser.join("").trim();
}
