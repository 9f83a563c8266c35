/** The client of MCP servers has an ajv of its own as the default of an option that is always set. */
export const withoutAjv = {
  name: "without-ajv",
  load: (id) => (id.endsWith("/validation/ajv-provider.js") ? "export const AjvJsonSchemaValidator = null;" : null),
};

/** The client of HTTP/2, which nobody asks for. Where Node lacks it, undici goes on as well. */
export const withoutHttp2 = {
  name: "without-http2",
  resolveId: (id, importer) => (id === "node:http2" && importer?.includes("undici") ? "\0without-http2" : null),
  load: (id) => (id === "\0without-http2" ? { code: "module.exports = { constants: {} };", moduleType: "js" } : null),
};
