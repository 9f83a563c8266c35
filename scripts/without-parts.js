/** The client of MCP servers has an ajv of its own as the default of an option that is always set. */
export const withoutAjv = {
  name: "without-ajv",
  load: (id) => (id.endsWith("/validation/ajv-provider.js") ? "export const AjvJsonSchemaValidator = null;" : null),
};

/** What undici takes from modules of Node that it would load for that alone. */
const instead = {
  // Nobody asks for HTTP/2, and where Node lacks it, undici goes on as well.
  "node:http2": "module.exports = { constants: {} };",
  // How long headers may be: Node's default, unless an option says otherwise. No body is an IncomingMessage.
  "node:http": `module.exports = {
    get maxHeaderSize() {
      const options = [...process.execArgv, process.env.NODE_OPTIONS].join(" ");
      return /max.http.header.size/.test(options) ? process.getBuiltinModule("node:http").maxHeaderSize : 16_384;
    },
  };`,
};
const prefix = "\0instead-of-";

/** undici without the modules of Node that a connection can do without. */
export const withoutServers = {
  name: "without-servers",
  resolveId: (id, importer) => (id in instead && importer?.includes("undici") ? `${prefix}${id}` : null),
  load: (id) => (id.startsWith(prefix) ? { code: instead[id.slice(prefix.length)], moduleType: "js" } : null),
};
