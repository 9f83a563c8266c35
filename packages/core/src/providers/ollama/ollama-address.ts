const defaultPort = "11434";

/**
 * The address that `OLLAMA_HOST` stands for, as the tools of Ollama read it: host, port and scheme may each be left
 * out (`gpu-box`, `:8080`, `https://ollama.example`), and an address to listen on means this machine. Text that is no
 * address stays as it is.
 */
export function ollamaAddress(host: string | undefined): string {
  const text = (host ?? "").trim().replaceAll(/^["']+|["']+$/g, "");
  if (text === "ollama.com") return "https://ollama.com";
  const [, scheme, rest = ""] = /^(?:([a-z][a-z\d+.-]*):\/\/)?(.*)$/i.exec(text) ?? [];
  const [authority = "", ...path] = rest.split("/");
  const url = `${scheme ?? "http"}://${withHost(authority, scheme === undefined)}/${path.join("/")}`;
  return URL.canParse(url) ? new URL(url).href.replace(/\/+$/, "") : text;
}

/** An explicit scheme brings its own port. */
function withHost(authority: string, needsPort: boolean): string {
  const isBareIpv6 = !authority.startsWith("[") && authority.split(":").length > 2;
  const [, name = "", port] = isBareIpv6
    ? [authority, `[${authority}]`]
    : (/^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(authority) ?? [authority, authority]);
  const known = name === "" || name === "0.0.0.0" ? "127.0.0.1" : name === "[::]" ? "[::1]" : name;
  const ending = port ?? (needsPort ? defaultPort : "");
  return ending === "" ? known : `${known}:${ending}`;
}
