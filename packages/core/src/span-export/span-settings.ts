import { failure, success, type Result } from "../result.js";

/** Where the spans of a run go, and in which form. */
export interface SpanSettings {
  /** The whole address, such as `https://collector.example.com/v1/traces`. */
  url: string;
  headers: Readonly<Record<string, string>>;
  protocol: "http/protobuf" | "http/json";
  isCompressed: boolean;
  /** How long a request may take, ms. */
  timeoutMs: number;
  /** Whether messages, arguments, results, and explanations are sent. */
  hasContent: boolean;
  /** Attributes of the resource. */
  resource: Readonly<Record<string, string>>;
}

type Env = Readonly<Record<string, string | undefined>>;

const defaultTimeoutMs = 10_000;

/**
 * Reads the variables that exporters of OpenTelemetry read. Null if nothing is to be sent. The error says which setting
 * cannot be used, and why.
 *
 * @param wanted - an address that overrides that of the environment, or `off`
 */
export function spanSettingsOf(env: Env, wanted?: string): Result<SpanSettings | null, string> {
  const isOff = env["OTEL_SDK_DISABLED"] === "true" || env["OTEL_TRACES_EXPORTER"] === "none";
  if (wanted === "off" || (wanted === undefined && isOff)) return success(null);
  const address = wantedAddress(env, wanted);
  if (address === null) return success(null);
  const url = addressOf(address);
  if (url === null) return failure(`${address.named} is not an HTTP address: ${address.base}`);
  const protocol = settingOf(env, "PROTOCOL") || "http/protobuf";
  if (protocol !== "http/protobuf" && protocol !== "http/json") {
    const known = "spans of runs are sent by http/protobuf or http/json";
    return failure(`OTEL_EXPORTER_OTLP_PROTOCOL is ${protocol}, and ${known}`);
  }
  const timeoutMs = Number(settingOf(env, "TIMEOUT"));
  return success({
    url,
    protocol,
    headers: pairsIn(settingOf(env, "HEADERS")),
    isCompressed: settingOf(env, "COMPRESSION") === "gzip",
    timeoutMs: timeoutMs > 0 ? timeoutMs : defaultTimeoutMs,
    hasContent: capturesContent(env["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"]),
    resource: resourceOf(env),
  });
}

/** The variable for traces overrides that for all signals. */
function settingOf(env: Env, name: string): string {
  return env[`OTEL_EXPORTER_OTLP_TRACES_${name}`]?.trim() || env[`OTEL_EXPORTER_OTLP_${name}`]?.trim() || "";
}

interface WantedAddress {
  base: string;
  /** Whether it is the whole address. */
  isWhole: boolean;
  /** Where it was named. */
  named: string;
}

function wantedAddress(env: Env, wanted: string | undefined): WantedAddress | null {
  if (wanted !== undefined) return { base: wanted, isWhole: false, named: "--otlp" };
  const [own, all] = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"];
  const named = [own, all].find((name) => (env[name]?.trim() ?? "") !== "");
  return named === undefined ? null : { base: env[named]?.trim() ?? "", isWhole: named === own, named };
}

function resourceOf(env: Env): Record<string, string> {
  const service = env["OTEL_SERVICE_NAME"] ?? "";
  return { ...pairsIn(env["OTEL_RESOURCE_ATTRIBUTES"] ?? ""), ...(service === "" ? {} : { "service.name": service }) };
}

/** An endpoint for all signals has no path of theirs; one for traces is the whole address. */
function addressOf({ base, isWhole }: WantedAddress): string | null {
  if (!URL.canParse(base)) return null;
  const url = new URL(base);
  if (url.protocol !== "http:" && url.protocol !== "https:") return null;
  if (!isWhole && !url.pathname.endsWith("/v1/traces")) url.pathname = `${url.pathname.replace(/\/$/, "")}/v1/traces`;
  return url.href;
}

/** The values of the conventions, and `true` of the versions before. */
function capturesContent(value = ""): boolean {
  return ["true", "span_only", "span_and_event"].includes(value.trim().toLowerCase());
}

/** `a=b,c=d`, whose values are percent-encoded. */
function pairsIn(text: string): Record<string, string> {
  const pairs = text.split(",").flatMap((pair): readonly (readonly [string, string])[] => {
    const at = pair.indexOf("=");
    const name = pair.slice(0, Math.max(0, at)).trim();
    return name === "" ? [] : [[name, decoded(pair.slice(at + 1).trim())]];
  });
  return Object.fromEntries(pairs);
}

function decoded(text: string): string {
  return text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (escaped) =>
    Buffer.from(escaped.replaceAll("%", ""), "hex").toString("utf8"),
  );
}
