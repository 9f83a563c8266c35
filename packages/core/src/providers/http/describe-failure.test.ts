import { describe, expect, it } from "vitest";
import { describeFailure } from "./describe-failure.js";

const refused = (address: string): Error =>
  Object.assign(new Error(`connect ECONNREFUSED ${address}`), { code: "ECONNREFUSED" });

describe("describeFailure", () => {
  it.each<[string, unknown, { kind: string; systemCode?: string | null; message: string }]>([
    [
      "an error of the system",
      refused("127.0.0.1:1"),
      { kind: "network", systemCode: "ECONNREFUSED", message: "connect ECONNREFUSED 127.0.0.1:1" },
    ],
    [
      "the errors of several addresses, each told once",
      new AggregateError([refused("::1"), refused("127.0.0.1"), refused("::1"), "odd"]),
      { kind: "network", systemCode: null, message: "connect ECONNREFUSED ::1, connect ECONNREFUSED 127.0.0.1, odd" },
    ],
    [
      "an error of OpenSSL",
      Object.assign(new Error("80FC:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:x.c:350:\n"), {
        code: "ERR_SSL_WRONG_VERSION_NUMBER",
        library: "SSL routines",
        reason: "wrong version number",
      }),
      { kind: "network", systemCode: "ERR_SSL_WRONG_VERSION_NUMBER", message: "TLS: wrong version number" },
    ],
    [
      "an end that undici names",
      Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" }),
      { kind: "network", systemCode: "ECONNRESET", message: "other side closed" },
    ],
    [
      "a cause with a code",
      new TypeError("fetch failed", { cause: refused("::1") }),
      { kind: "network", systemCode: "ECONNREFUSED", message: "fetch failed" },
    ],
    ["an error without a message", new RangeError(), { kind: "network", systemCode: null, message: "RangeError" }],
    ["no error at all", "odd", { kind: "network", systemCode: null, message: "odd" }],
    [
      "a request that cannot be sent",
      Object.assign(new Error("invalid x header"), { code: "UND_ERR_INVALID_ARG" }),
      { kind: "unsendable", message: "invalid x header" },
    ],
  ])("reports %s", (_name, cause, expected) => {
    expect(describeFailure(cause)).toMatchObject(expected);
  });
});
