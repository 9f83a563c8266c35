import type { BlockList } from "node:net";
import { parseArgs } from "node:util";
import { parseProxies } from "./proxy-address.js";

const defaultPort = 4310;

export interface ServerSettings {
  /** What to do: serve, or move all data out of the database or into it. */
  action: "serve" | "export" | "import" | "plan";
  /** For `plan`: the organization, by its name or ID, and its plan. */
  plan: { organization: string; plan: string } | null;
  host: string;
  port: number;
  /** The folder of the embedded database. */
  data: string;
  /** Address of PostgreSQL; null for the embedded database. */
  database: string | null;
  /** The address that people open; null for the one that the server listens on. */
  origin: string | null;
  /** Files of a certificate and its key; null for plain HTTP. */
  tls: { cert: string; key: string } | null;
  /** Proxies whose X-Forwarded-For counts; null for none. */
  trustProxy: BlockList | null;
  metricsPort: number | null;
  /** Issuer of the ID tokens of GitHub Actions. */
  githubIssuer: string;
  /** The service with which people sign in; null for passwords alone. */
  oidc: { issuer: string; clientId: string } | null;
  allowsPrivateWebhooks: boolean;
}

export const usage = `Usage: kindlm-server [options]
       kindlm-server export [--data <folder> | --database <url>] > file
       kindlm-server import [--data <folder> | --database <url>] < file
       kindlm-server plan <organization> <free|team|enterprise|none> [--data <folder> | --database <url>]

Keep the results of KindLM runs in one place. With the embedded database, stop the server before you export, import, or
set a plan.

Options:
  --data <folder>          folder of the embedded database (default: ./kindlm-data)
  --database <url>         use PostgreSQL instead, such as postgres://user@host/name
  --host <address>         address to listen on (default: 127.0.0.1)
  --port <number>          port to listen on (default: ${defaultPort})
  --origin <url>           address that people open, such as https://results.example.com
  --tls-cert <file>        certificate for HTTPS
  --tls-key <file>         key of the certificate
  --trust-proxy <range>    address of the proxy in front of the server, or a range such
                           as 10.0.0.0/8; can be repeated
  --metrics-port <number>  serve Prometheus metrics on this port of 127.0.0.1
  --github-issuer <url>    issuer of ID tokens of GitHub Actions, for a GitHub Enterprise Server
  --oidc-issuer <url>      service with which people sign in (OpenID Connect)
  --oidc-client-id <id>    what the service knows this server as; its secret is read from
                           the environment variable KINDLM_OIDC_CLIENT_SECRET
  --allow-private-webhooks  let webhooks go to private addresses, and without HTTPS
  --help                   show this help
`;

const loopback = new Set(["127.0.0.1", "::1", "localhost"]);

function readWords(words: readonly string[]) {
  return parseArgs({
    allowPositionals: true,
    args: [...words],
    options: {
      data: { type: "string", default: "kindlm-data" },
      database: { type: "string" },
      host: { type: "string", default: "127.0.0.1" },
      port: { type: "string", default: String(defaultPort) },
      origin: { type: "string" },
      "tls-cert": { type: "string" },
      "tls-key": { type: "string" },
      "trust-proxy": { type: "string", multiple: true },
      "metrics-port": { type: "string" },
      "github-issuer": { type: "string", default: "https://token.actions.githubusercontent.com" },
      "oidc-issuer": { type: "string" },
      "oidc-client-id": { type: "string" },
      "allow-private-webhooks": { type: "boolean", default: false },
      help: { type: "boolean" },
    },
  });
}

type Words = ReturnType<typeof readWords>;
const actions = ["serve", "export", "import", "plan"] as const;

/** The settings, or what is wrong with them. Null if the user wants help. */
export function parseSettings(words: readonly string[]): ServerSettings | string | null {
  let read: Words;
  try {
    read = readWords(words);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  const { values, positionals } = read;
  if (values.help === true) return null;
  const command = parseCommand(positionals);
  if (typeof command === "string") return command;
  const { "tls-cert": cert, "tls-key": key, "metrics-port": metrics } = values;
  const trustProxy = values["trust-proxy"] === undefined ? null : parseProxies(values["trust-proxy"]);
  if (typeof trustProxy === "string") {
    return `--trust-proxy "${trustProxy}" is not an IP address, or a range such as 10.0.0.0/8`;
  }
  return (
    problemIn(values) ?? {
      ...command,
      host: values.host,
      port: Number(values.port),
      data: values.data,
      database: values.database ?? null,
      origin: values.origin?.replace(/\/$/, "") ?? null,
      tls: cert === undefined || key === undefined ? null : { cert, key },
      trustProxy,
      metricsPort: metrics === undefined ? null : Number(metrics),
      githubIssuer: values["github-issuer"],
      oidc: oidcOf(values),
      allowsPrivateWebhooks: values["allow-private-webhooks"],
    }
  );
}

function parseCommand([written = "serve", ...words]: readonly string[]):
  | Pick<ServerSettings, "action" | "plan">
  | string {
  const action = actions.find((one) => one === written);
  if (action === undefined) return `"${written}" is not a command`;
  if (action !== "plan") return words.length === 0 ? { action, plan: null } : `${action} takes no words`;
  const [organization, plan, ...others] = words;
  if (organization === undefined || plan === undefined || others.length > 0) {
    return "plan needs an organization and its plan";
  }
  return { action, plan: { organization, plan } };
}

function oidcOf({ "oidc-issuer": issuer, "oidc-client-id": clientId }: Words["values"]): ServerSettings["oidc"] {
  return issuer === undefined || clientId === undefined ? null : { issuer, clientId };
}

function problemIn(values: Words["values"]): string | null {
  const {
    host,
    port,
    "tls-cert": cert,
    "tls-key": key,
    "trust-proxy": proxies,
    "metrics-port": metrics = "0",
  } = values;
  if ((cert === undefined) !== (key === undefined)) return "--tls-cert and --tls-key belong together";
  const isPort = (text: string): boolean => /^\d+$/.test(text) && Number(text) <= 65_535;
  if (![port, metrics].every(isPort)) return "A port is a number from 0 to 65535";
  if (!URL.canParse(values["github-issuer"])) return "--github-issuer is not a URL";
  const { "oidc-issuer": issuer, "oidc-client-id": clientId } = values;
  if ((issuer === undefined) !== (clientId === undefined)) return "--oidc-issuer and --oidc-client-id belong together";
  if (issuer !== undefined && !URL.canParse(issuer)) return "--oidc-issuer is not a URL";
  const isPlain = cert === undefined && proxies === undefined;
  return isPlain && !loopback.has(host)
    ? `--host ${host} is open to others: add --tls-cert and --tls-key, or --trust-proxy`
    : null;
}
