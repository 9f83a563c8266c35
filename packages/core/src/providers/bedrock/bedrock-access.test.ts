import { describe, expect, it } from "vitest";
import { openBedrock } from "./bedrock-access.js";
import { bedrockProvider } from "./bedrock-provider.js";

const keys = { AWS_ACCESS_KEY_ID: "AKIDEXAMPLE", AWS_SECRET_ACCESS_KEY: "secret" };
const signed = { kind: "keys", keys: { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret" } };
const bearer = { AWS_BEARER_TOKEN_BEDROCK: " bedrock-api-key\n" };

function settingsOf(provider: Record<string, unknown>, providerName: string) {
  return { id: "m", providerName, model: "us.amazon.nova-lite-v1:0", provider, own: {}, documents: {} };
}

function open(provider: Record<string, unknown>, env: Record<string, string>, providerName = "bedrock") {
  return openBedrock(settingsOf(provider, providerName), env);
}

describe("openBedrock", () => {
  it.each([
    [{ region: "eu-west-1" }, { AWS_REGION: "us-east-1", AWS_DEFAULT_REGION: "us-west-2" }, "eu-west-1"],
    [{}, { AWS_REGION: "us-east-1", AWS_DEFAULT_REGION: "us-west-2" }, "us-east-1"],
    [{}, { AWS_REGION: " ", AWS_DEFAULT_REGION: "us-west-2" }, "us-west-2"],
    [{}, {}, null],
  ])("takes the region of %j and %j", (provider, env, region) => {
    expect(open(provider, env).region).toBe(region);
  });

  it.each([
    ["eu-west-1", "https://bedrock-runtime.eu-west-1.amazonaws.com"],
    ["cn-north-1", "https://bedrock-runtime.cn-north-1.amazonaws.com.cn"],
    ["eusc-de-east-1", "https://bedrock-runtime.eusc-de-east-1.amazonaws.eu"],
  ])("finds the endpoint of %s", (region, baseUrl) => {
    expect(open({ region }, {}).baseUrl).toBe(baseUrl);
  });

  it.each<[string, Record<string, unknown>, Record<string, string>, unknown]>([
    ["an API key wins over keys", {}, { ...bearer, ...keys }, { kind: "none" }],
    ["keys", {}, keys, signed],
    [
      "keys of a session",
      {},
      { ...keys, AWS_SESSION_TOKEN: "t" },
      { ...signed, keys: { ...signed.keys, sessionToken: "t" } },
    ],
    ["half of the keys are none", {}, { AWS_ACCESS_KEY_ID: "a" }, { kind: "search", profile: undefined }],
    ["keys win over AWS_PROFILE", {}, { ...keys, AWS_PROFILE: "p" }, signed],
    ["AWS_PROFILE", {}, { AWS_PROFILE: "p" }, { kind: "search", profile: "p" }],
    ["a profile of the config wins over keys", { profile: "q" }, keys, { kind: "search", profile: "q" }],
    ["a named variable is the only one", { api_key_env: "MINE" }, keys, { kind: "none" }],
    ["a header of the config", { headers: { Authorization: "Basic x" } }, keys, { kind: "none" }],
  ])("signs with what there is: %s", (_name, provider, env, signing) => {
    expect(open({ region: "us-east-1", ...provider }, env).signing).toEqual(signing);
  });

  it("trims the API key, and misses only one that was named", () => {
    expect(open({ region: "r" }, bearer)).toMatchObject({ apiKey: "bedrock-api-key", isKeyMissing: false });
    expect(open({ region: "r" }, {})).toMatchObject({ apiKey: null, isKeyMissing: false });
    expect(open({ region: "r", api_key_env: "MINE" }, bearer)).toMatchObject({ apiKey: null, isKeyMissing: true });
    const headers = { authorization: "Basic x" };
    expect(open({ region: "r", headers }, {})).toMatchObject({ isKeyMissing: false });
  });

  it.each([
    ["https://vpce-1.bedrock-runtime.us-east-1.vpce.amazonaws.com", true],
    ["https://bedrock-runtime-fips.us-east-1.amazonaws.com/", true],
    ["https://bedrock-runtime.us-east-1.api.aws", true],
    ["https://amazonaws.com.example.com", false],
    ["https://notamazonaws.com", false],
    ["http://127.0.0.1:4000", false],
  ])("gives the credentials to %s under another name: %s", (base_url, isGiven) => {
    const own = open({ region: "us-east-1", base_url }, keys, "mine");
    expect(own.signing).toEqual(isGiven ? signed : { kind: "none" });
    expect(own).toMatchObject({ baseUrl: base_url.replace(/\/$/, ""), isKeyMissing: false });
    expect(open({ region: "us-east-1", base_url }, bearer, "mine").apiKey).toBe(isGiven ? "bedrock-api-key" : null);
    expect(open({ region: "us-east-1", base_url }, keys).signing).toEqual(signed);
  });
});

describe("bedrockProvider.inspect", () => {
  it("names the variables, and shows no value", () => {
    const inspected = bedrockProvider.inspect(settingsOf({ region: "us-east-1" }, "bedrock"), keys);
    expect(inspected).toEqual({
      baseUrl: "https://bedrock-runtime.us-east-1.amazonaws.com",
      keys: [
        { env: "AWS_BEARER_TOKEN_BEDROCK", isSet: false },
        { env: "AWS_ACCESS_KEY_ID", isSet: true },
      ],
      isKeyNeeded: true,
      probe: null,
      peers: ["@smithy/signature-v4"],
    });
  });

  it("says where credentials are searched when no variable holds them, and what that needs", () => {
    const inspected = bedrockProvider.inspect(settingsOf({ profile: "work" }, "bedrock"), {});
    expect(inspected).toMatchObject({
      keys: [{ isSet: false }, { isSet: false }],
      otherKeys: "AWS's shared files, sign-in and roles",
      peers: ["@smithy/signature-v4", "@aws-sdk/credential-provider-node"],
    });
  });

  it("needs no package for an API key", () => {
    const inspected = bedrockProvider.inspect(settingsOf({}, "bedrock"), bearer);
    expect(inspected).not.toHaveProperty("peers");
    expect(inspected).not.toHaveProperty("otherKeys");
  });

  it("needs nothing for a server of one's own", () => {
    const settings = settingsOf({ base_url: "http://127.0.0.1:4000" }, "mine");
    expect(bedrockProvider.inspect(settings, keys)).toMatchObject({ keys: [], isKeyNeeded: false });
  });
});
