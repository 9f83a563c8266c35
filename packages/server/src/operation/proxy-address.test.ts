import { expect, it } from "vitest";
import { clientAddress, networkOf, parseProxies } from "./proxy-address.js";

const proxies = parseProxies(["10.0.0.0/8", "192.0.2.7", "fd00::/8", "::1"]);
if (typeof proxies === "string") throw new TypeError(proxies);

it.each([
  // What a client sends in front of what the proxies add is not believed.
  ["10.0.0.1", "203.0.113.9", "203.0.113.9"],
  ["10.0.0.1", "127.0.0.1, 203.0.113.9", "203.0.113.9"],
  ["10.0.0.1", "10.9.9.9, 203.0.113.9", "203.0.113.9"],
  ["10.0.0.1", "198.51.100.1, 203.0.113.9, 10.0.0.2, fd00::5", "203.0.113.9"],
  ["fd12::1", "2001:db8::1", "2001:db8::1"],
  ["::1", "10.1.1.1", "10.1.1.1"],
  ["::ffff:10.0.0.1", "::ffff:203.0.113.9", "203.0.113.9"],
  ["10.0.0.1", "203.0.113.9:4711", "203.0.113.9"],
  ["10.0.0.1", "[2001:db8::1]:4711", "2001:db8::1"],
  // Nobody but the proxies may say who the client is.
  ["203.0.113.9", "127.0.0.1", "203.0.113.9"],
  ["192.0.2.8", "127.0.0.1", "192.0.2.8"],
  ["2001:db8::1", "10.0.0.1", "2001:db8::1"],
  ["10.0.0.1", "198.51.100.1, unknown", "10.0.0.1"],
  ["10.0.0.1", "198.51.100.1, 203.0.113.9\nx", "10.0.0.1"],
  ["10.0.0.1", "", "10.0.0.1"],
  ["10.0.0.1", undefined, "10.0.0.1"],
  ["unknown", "203.0.113.9", "unknown"],
])("%s with X-Forwarded-For %j is the client %s", (direct, forwarded, client) => {
  expect(clientAddress(direct, forwarded, proxies)).toBe(client);
});

it("believes nobody without --trust-proxy, and names the range that is none", () => {
  expect(clientAddress("127.0.0.1", "203.0.113.9", null)).toBe("127.0.0.1");
  for (const text of [
    "all",
    "10.0.0.0/33",
    "fd00::/129",
    "10.0.0.0/8/8",
    "10.0.0.0/",
    "10.0.0/8",
    "::1/-1",
    "10.0.0.1/1e1",
  ])
    expect(parseProxies(["10.0.0.1", text])).toBe(text);
});

it.each([
  ["203.0.113.9", "203.0.113.9"],
  ["unknown", "unknown"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["2001:0DB8:0:0:ffff::", "2001:db8:0:0::/64"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:db8:1:3:3:4:5:6", "2001:db8:1:3::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["64:ff9b::203.0.113.9", "64:ff9b:0:0::/64"],
  ["1::2:3:4:5:6:7", "1:0:2:3::/64"],
])("requests of %s are counted for %s", (address, network) => {
  expect(networkOf(address)).toBe(network);
});
