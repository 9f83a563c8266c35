/** The proxies that requests go through; empty for none. */
export interface ProxySettings {
  httpProxy: string;
  httpsProxy: string;
  /** Hosts that are reached directly, as `NO_PROXY` lists them. */
  noProxy: string;
}

/**
 * Reads `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`, the names in lower case first, as curl does. Null when
 * none is set. Only proxies that speak HTTP are taken.
 */
export function proxySettingsOf(env: Readonly<Record<string, string | undefined>>): ProxySettings | null {
  const read = (...names: readonly string[]): string => {
    for (const name of names) {
      const value = env[name.toLowerCase()]?.trim() || env[name]?.trim();
      if (value) return value;
    }
    return "";
  };
  const httpProxy = addressOf(read("HTTP_PROXY", "ALL_PROXY"));
  const httpsProxy = addressOf(read("HTTPS_PROXY", "ALL_PROXY"));
  return httpProxy === "" && httpsProxy === "" ? null : { httpProxy, httpsProxy, noProxy: read("NO_PROXY") };
}

/** People write `proxy.example.com:3128` too. */
function addressOf(written: string): string {
  return written === "" || written.includes("://") ? written : `http://${written}`;
}
