/**
 * What few runs need of the libraries, each in a file of its own, which most runs do not even read: ajv is a quarter of
 * everything, and those for wide characters begin with a list of all emoji. By the file: the module that loads it, by
 * `require` when it is first needed, and what it takes from there.
 */
const apart = {
  "ajv.cjs": {
    loadedBy: "create-ajv.js",
    names: ["ajv", "ajv/dist/2019.js", "ajv/dist/2020.js", "ajv-formats/dist/formats.js"],
  },
  "http-client.cjs": {
    loadedBy: "undici-transport.js",
    names: ["undici/lib/dispatcher/client.js", "undici/lib/core/connect.js", "undici/lib/llhttp/llhttp_simd-wasm.js"],
  },
  "wide-text.cjs": { loadedBy: "wide-text.js", names: ["string-width", "wrap-ansi"] },
};

/** The module that is bundled into such a file. */
export const entryOf = (file) => `\0entry:${file}`;

/** What a bundle of {@link entryOf} takes in, whatever else is outside of bundles. */
export const namesIn = (input) => Object.entries(apart).find(([file]) => input === entryOf(file))?.[1].names ?? [];

/** Has a module take what is in such a file from there. `folder`: of the bundle, below `dist`. */
export const fromFileApart = (folder) => ({
  name: "from-file-apart",
  transform(code, id) {
    const [file, { names } = {}] = Object.entries(apart).find(([, { loadedBy }]) => id.endsWith(`/${loadedBy}`)) ?? [];
    if (file === undefined) return null;
    const place = `${folder === "" ? "." : ".."}/${file}`;
    return code.replaceAll(/\b(require\w*)\("([^"]+)"\)/g, (call, by, name) =>
      names.includes(name) ? `${by}("${place}")("${name}")` : call,
    );
  },
});

/** Makes the module of {@link entryOf}. */
export const sourceApart = {
  name: "source-apart",
  resolveId: (id) => (id.startsWith(entryOf("")) ? id : null),
  load(id) {
    const names = namesIn(id);
    if (names.length === 0) return null;
    const members = names.map((name) => `${JSON.stringify(name)}: () => require(${JSON.stringify(name)})`);
    return { code: `module.exports = (name) => ({ ${members.join(", ")} })[name]();`, moduleType: "js" };
  },
};
