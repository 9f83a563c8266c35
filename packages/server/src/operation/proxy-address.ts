import { BlockList, isIP } from "node:net";

type Family = "ipv4" | "ipv6";

const familyOf = (address: string): Family => (isIP(address) === 6 ? "ipv6" : "ipv4");

/** Addresses and ranges, such as `10.0.0.0/8` and `fd00::/8`. The text that is neither, if there is one. */
export function parseProxies(texts: readonly string[]): BlockList | string {
  const proxies = new BlockList();
  for (const text of texts) {
    const [address = "", prefix, ...rest] = text.split("/");
    const most = isIP(address) === 6 ? 128 : 32;
    const length = prefix === undefined ? most : Number(prefix);
    const isRange = /^\d{1,3}$/.test(prefix ?? "0") && length <= most && rest.length === 0;
    if (isIP(address) === 0 || !isRange) return text;
    proxies.addSubnet(address, length, familyOf(address));
  }
  return proxies;
}

/**
 * The address of the client. Each proxy appends to X-Forwarded-For whom it got the request from, so the list counts from
 * its end, as far as the proxies are trusted. What stands before that was sent by the client, who may write anything.
 */
export function clientAddress(direct: string, forwarded: string | undefined, proxies: BlockList | null): string {
  let address = plain(direct);
  if (proxies === null) return address;
  for (const hop of (forwarded ?? "").split(",").toReversed()) {
    if (isIP(address) === 0 || !proxies.check(address, familyOf(address))) return address;
    const named = plain(hop.trim());
    if (isIP(named) === 0) return address;
    address = named;
  }
  return address;
}

/** Without the port and the brackets that some proxies write, and an IPv4 address as such. */
function plain(address: string): string {
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(address)?.[1] ?? /^([\d.]+):\d+$/.exec(address)?.[1] ?? address;
  return bare.replace(/^::ffff:(?=[\d.]+$)/i, "");
}

/**
 * Whom requests are counted for: the address of the client, and of IPv6 the network of 64 bits, all of whose addresses its owner
 * may use.
 */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = "", tail] = address.replace(/%.*$/, "").split("::");
  const groups = head.split(":").filter((group) => group !== "");
  // An IPv4 address at the end stands for two groups.
  const after = (tail ?? "")
    .split(":")
    .flatMap((group) => (group.includes(".") ? ["0", "0"] : group === "" ? [] : [group]));
  const zeros = Array.from({ length: Math.max(0, 8 - groups.length - after.length) }, () => "0");
  const all = tail === undefined ? groups : [...groups, ...zeros, ...after];
  const network = all.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(":")}::/64`;
}
