const loopback = ["127.0.0.1", "localhost", "[::1]"];
const everywhere = new Set(["0.0.0.0", "[::]"]);

/** Whether the server listens on all addresses of the machine, such as `http://0.0.0.0:4310`. */
export const listensEverywhere = (listening: string): boolean => everywhere.has(new URL(listening).hostname);

/**
 * The addresses under which the server may be asked, such as `http://127.0.0.1:4310`: that which people open, and on the
 * loopback interface each name of it. With any other, a page of someone else could have its name lead here.
 * `listening` is where the server listens, as an address.
 */
export function ownOrigins(origin: string, listening: string): ReadonlySet<string> {
  const own = new Set([new URL(origin).origin]);
  for (const address of [origin, listening]) {
    const { protocol, hostname, port } = new URL(address);
    if (!loopback.includes(hostname) && !listensEverywhere(address)) continue;
    for (const name of loopback) own.add(new URL(`${protocol}//${name}:${port}`).origin);
  }
  return own;
}
