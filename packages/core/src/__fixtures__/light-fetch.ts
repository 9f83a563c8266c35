/** The module that gives a program a light `fetch`, for its `--import`. Not for modules: they share their worker. */
export const lightFetch = new URL("../../../../test/fixtures/agents/light-fetch.mjs", import.meta.url).href;

/** The same as the first line of a program that is an ES module. */
export const importFetch = `import ${JSON.stringify(lightFetch)};\n`;
