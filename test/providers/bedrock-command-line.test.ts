import { afterEach, describe, expect, it } from "vitest";
import { bedrockReply } from "../support/fake-models/bedrock.js";
import { makeProject } from "../support/make-project.js";
import { runCli } from "../support/run-cli.js";
import { runProcess } from "../support/start-cli.js";
import { sendJson } from "../support/start-server.js";
import { partsOf, signatureExpected } from "../support/verify-aws-signature.js";
import { apiKey, closeBedrock, credentials, serve } from "./bedrock-under-test.js";

afterEach(closeBedrock);

const sharedFile = `[work]
aws_access_key_id = ${credentials.accessKeyId}
aws_secret_access_key = ${credentials.secretAccessKey}
aws_session_token = ${credentials.sessionToken}
`;

/** A project with one test that asks a model on Bedrock; its folder is the child's home as well. */
function projectFor(url: string, settings: string): string {
  const config = `version: 1
project: bedrock
providers:
  bedrock: { base_url: "${url}"${settings} }
models:
  - { id: claude, provider: bedrock, model: "us.anthropic.claude-sonnet-4-5-20250929-v1:0" }
retry: disabled
suites:
  - name: greeting
    tests:
      - { name: says-hello, input: Hi, assert: [{ type: contains, value: Hello }] }
`;
  return makeProject({ "kindlm.yaml": config, ".aws/credentials": sharedFile });
}

describe("the command line", () => {
  const secrets = [apiKey, credentials.secretAccessKey, credentials.sessionToken];

  it("signs with a profile of AWS's shared files", async () => {
    const reply = bedrockReply({ text: "Hello!", toolCalls: [] });
    const { url, requests } = await serve((_request, response) => sendJson(response, 200, reply));
    const cwd = projectFor(url, ", profile: work");
    const env = { AWS_REGION: "eu-west-1", AWS_ACCESS_KEY_ID: "AKIDOTHER", AWS_SECRET_ACCESS_KEY: "another-secret" };
    // The AWS SDK looks for its files in the home and the environment of the process.
    const ran = await runProcess(["test"], { cwd, env });
    expect(ran).toMatchObject({ code: 0 });
    const [received] = requests;
    if (received === undefined) throw new Error("A request was expected");
    const { credential, signature } = partsOf(received);
    expect(credential).toMatch(/^AKIDEXAMPLE\/\d{8}\/eu-west-1\/bedrock\/aws4_request$/);
    expect(signature).toBe(signatureExpected(received, credentials.secretAccessKey));
  });

  it("says what to set when nothing lets it in", async () => {
    const { url, requests } = await serve((_request, response) => sendJson(response, 200, {}));
    const cwd = projectFor(url, ", region: eu-west-1");
    const ran = await runCli(["test"], { cwd, env: { AWS_EC2_METADATA_DISABLED: "true" } });
    expect(ran.code).toBe(1);
    expect(ran.stdout + ran.stderr).toContain("AWS_BEARER_TOKEN_BEDROCK");
    expect(requests).toHaveLength(0);
  });

  it("checks what signing needs, and where the keys may be", async () => {
    const cwd = projectFor("http://127.0.0.1:9", ", region: eu-west-1, profile: work");
    const { stdout } = await runCli(["doctor", "--offline"], { cwd });
    expect(stdout).toContain("@smithy/signature-v4 is installed, for Bedrock");
    expect(stdout).toContain("@aws-sdk/credential-provider-node is installed, for Bedrock");
    expect(stdout).toContain(
      "none of AWS_BEARER_TOKEN_BEDROCK, AWS_ACCESS_KEY_ID is set; searched are AWS's shared files, sign-in and roles",
    );
  });

  it.each([
    ["an API key", "", { AWS_BEARER_TOKEN_BEDROCK: apiKey }],
    ["a profile", ", profile: work", {}],
  ])("shows no part of %s that the server repeats", async (_name, settings, keys) => {
    const { url } = await serve(({ headers }, response) => {
      sendJson(response, 400, { message: `No: ${JSON.stringify(headers)}` });
    });
    const cwd = projectFor(url, `${settings}, region: eu-west-1`);
    const ran = await runProcess(["test", "--verbose"], { cwd, env: { DEBUG: "kindlm*", ...keys } });
    expect(ran.code).toBe(1);
    expect(ran.stdout + ran.stderr).toContain("[redacted]");
    for (const secret of secrets) expect(ran.stdout + ran.stderr).not.toContain(secret);
  });
});
