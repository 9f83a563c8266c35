import { expect, it } from "vitest";
import { isPublicAddress } from "./public-address.js";

const closed = [
  "0.0.0.0 0.1.2.3 10.1.2.3 100.64.0.1 100.100.100.200 127.0.0.1 127.255.255.255 168.63.129.16 169.254.169.254",
  "172.16.0.1 172.31.255.255 192.0.0.192 192.168.1.1 198.18.0.1 224.0.0.1 240.0.0.1 255.255.255.255",
  ":: ::1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::127.0.0.1 64:ff9b::7f00:1 64:ff9b:1::1 100::1 fc00::1 fd00:ec2::254",
  "fe80::1 fe80::1%eth0 fec0::1 ff02::1 2001::1 2001:db8::1 2002:7f00:1:: 3fff::1 example.com 2130706433",
].flatMap((line) => line.split(" "));
const open =
  "1.1.1.1 8.8.8.8 100.63.255.255 100.128.0.1 172.15.0.1 172.32.0.1 192.0.1.1 223.255.255.255 2606:4700::1111";

it.each(closed)("%s is not public", (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

it.each(open.split(" "))("%s is public", (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

it.each(["http://2130706433", "http://0x7f.1", "http://017700000001", "http://127.1", "http://[::ffff:7f00:1]"])(
  "%s names a loopback address, however it is written",
  (url) => {
    expect(isPublicAddress(new URL(url).hostname.replaceAll(/^\[|\]$/g, ""))).toBe(false);
  },
);
