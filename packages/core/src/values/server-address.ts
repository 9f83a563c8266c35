import { failure, success, type Result } from "../result.js";

/** Why an address is not that of a results server, and what to write instead. */
export interface AddressProblem {
  message: string;
  hint: string;
}

/**
 * The address of a results server without a slash at its end, such as `https://kindlm.example.com`. Plain HTTP is taken
 * for this machine alone, since everything that is sent has a token.
 */
export function parseServerAddress(written: string): Result<string, AddressProblem> {
  const hint = "Write an address such as https://kindlm.example.com";
  const refuse = (reason: string, instead = hint) => failure({ message: `"${written}" ${reason}`, hint: instead });
  const url = URL.canParse(written) ? new URL(written) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) return refuse("is not an HTTP address");
  if (url.username !== "" || url.password !== "") {
    return failure({ message: "The address of a server cannot contain a user name or a password", hint });
  }
  if (url.search !== "" || url.hash !== "")
    return refuse("is not the address of a server: it has a query or a fragment");
  if (!mayTakeTokens(url)) {
    return refuse("is plain HTTP, which others can read on the way", "Use an address that starts with https://");
  }
  return success(`${url.origin}${url.pathname.replace(/\/+$/, "")}`);
}

/** Whether nobody on the way can read what is sent there. */
export function mayTakeTokens({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
}

/** Whether a host name means this machine, whatever a name server says. */
function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
