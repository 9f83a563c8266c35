import { describe, expect, it } from "vitest";
import { parseSettings } from "./parse-settings.js";

describe("parseSettings", () => {
  it("listens on the loopback interface by default", () => {
    expect(parseSettings([])).toEqual({
      action: "serve",
      plan: null,
      host: "127.0.0.1",
      port: 4310,
      data: "kindlm-data",
      database: null,
      origin: null,
      tls: null,
      trustProxy: null,
      metricsPort: null,
      allowsPrivateWebhooks: false,
      githubIssuer: "https://token.actions.githubusercontent.com",
      oidc: null,
    });
  });

  it("wants TLS or a proxy for any other address", () => {
    expect(parseSettings(["--host", "0.0.0.0"])).toBe(
      "--host 0.0.0.0 is open to others: add --tls-cert and --tls-key, or --trust-proxy",
    );
    expect(parseSettings(["--host", "0.0.0.0", "--tls-cert", "c", "--tls-key", "k"])).toMatchObject({
      tls: { cert: "c", key: "k" },
    });
    const settings = parseSettings(["--host", "0.0.0.0", "--trust-proxy", "10.0.0.1", "--trust-proxy", "fd00::/8"]);
    expect(settings).toMatchObject({ host: "0.0.0.0", trustProxy: { rules: expect.arrayContaining([]) as string[] } });
    expect(parseSettings(["--host", "::1"])).toMatchObject({ host: "::1" });
  });

  it.each([
    [["--tls-cert", "c"], "--tls-cert and --tls-key belong together"],
    [["plan", "Acme"], "plan needs an organization and its plan"],
    [["plan", "Acme", "free", "now"], "plan needs an organization and its plan"],
    [["export", "all"], "export takes no words"],
    [["exports"], '"exports" is not a command'],
    [["--port", "x"], "A port is a number from 0 to 65535"],
    [["--trust-proxy", "all"], '--trust-proxy "all" is not an IP address, or a range such as 10.0.0.0/8'],
  ])("refuses %j", (words, problem) => {
    expect(parseSettings(words)).toBe(problem);
  });
});
