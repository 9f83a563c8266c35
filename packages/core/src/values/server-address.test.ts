import { describe, expect, it } from "vitest";
import { parseServerAddress } from "./server-address.js";

describe("parseServerAddress", () => {
  it.each([
    ["https://kindlm.example.com", "https://kindlm.example.com"],
    ["https://kindlm.example.com/", "https://kindlm.example.com"],
    ["https://EXAMPLE.com:8443/results//", "https://example.com:8443/results"],
    ["http://127.0.0.1:4310", "http://127.0.0.1:4310"],
    ["http://localhost:4310/", "http://localhost:4310"],
    ["http://[::1]:4310", "http://[::1]:4310"],
    // Node reads it as 127.0.0.1.
    ["http://2130706433:4310", "http://127.0.0.1:4310"],
  ])("takes %s", (written, address) => {
    expect(parseServerAddress(written)).toEqual({ success: true, data: address });
  });

  it.each([
    ["kindlm.example.com", "is not an HTTP address"],
    ["ftp://example.com", "is not an HTTP address"],
    ["http://example.com", "is plain HTTP"],
    ["http://127.0.0.1.example.com", "is plain HTTP"],
    ["http://localhost.example.com", "is plain HTTP"],
    ["http://10.0.0.1", "is plain HTTP"],
    ["https://example.com?a=b", "has a query"],
    ["https://user:hunter2@example.com", "cannot contain a user name"],
  ])("refuses %s", (written, message) => {
    const parsed = parseServerAddress(written);
    expect(parsed).toMatchObject({ success: false, error: { message: expect.stringContaining(message) as string } });
    expect(JSON.stringify(parsed)).not.toContain("hunter2");
  });
});
