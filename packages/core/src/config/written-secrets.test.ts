import { describe, expect, it } from "vitest";
import { writtenSecrets } from "./load-config.js";

describe("writtenSecrets", () => {
  it("takes what a config should not hold", () => {
    const config = {
      providers: {
        a: {
          base_url: "https://me:my%3Apass@gateway.example/v1",
          headers: { Authorization: "Basic bWU6cGFzcw==", "x-team": "red", "x-api-key": "${KEY}", cookie: "id=1" },
        },
      },
      suites: [{ target: { command: ["x"], env: { SHOP_TOKEN: "abc-def", SHOP: "open", NUMBER_KEY: 5 } } }],
      env: "none",
    };
    expect(writtenSecrets(config)).toEqual([
      "Basic bWU6cGFzcw==",
      "bWU6cGFzcw==",
      "id=1",
      "my%3Apass",
      "my:pass",
      "abc-def",
    ]);
  });

  it("takes nothing of what tests say, nor what a placeholder stands for", () => {
    const test = { input: "my password: hunter22, http://a:bcdefg@x", args: { token: "abcdefg" } };
    expect(writtenSecrets({ suites: [{ tests: [test] }], url: "http://u:${PASS}@x", other: null })).toEqual([]);
  });
});
