import { describe, expect, it } from "vitest";
import { proxySettingsOf } from "./proxy-settings.js";

describe("proxySettingsOf", () => {
  it.each([
    [{}, null],
    [{ HTTPS_PROXY: " ", NO_PROXY: "x" }, null],
    [{ HTTPS_PROXY: "http://p:1" }, { httpProxy: "", httpsProxy: "http://p:1", noProxy: "" }],
    [
      { HTTP_PROXY: "p:1", NO_PROXY: "a,b" },
      { httpProxy: "http://p:1", httpsProxy: "", noProxy: "a,b" },
    ],
    [{ HTTPS_PROXY: "http://upper:1", https_proxy: "http://lower:1" }, { httpsProxy: "http://lower:1" }],
    [
      { ALL_PROXY: "http://all:1", HTTPS_PROXY: "http://own:1" },
      { httpProxy: "http://all:1", httpsProxy: "http://own:1" },
    ],
  ])("reads %j", (env, expected) => {
    const settings = proxySettingsOf(env);
    if (expected === null) expect(settings).toBeNull();
    else expect(settings).toMatchObject(expected);
  });
});
