import { afterEach, describe, expect, it } from "vitest";
import { bedrockReply } from "../support/fake-models/bedrock.js";
import { makeProject } from "../../packages/core/src/__fixtures__/make-project.js";
import { runCli, type CliOutcome } from "../support/run-cli.js";
import { runProcess } from "../support/start-cli.js";
import { sendJson } from "../../packages/core/src/__fixtures__/start-server.js";
import { partsOf, signatureExpected } from "../support/verify-aws-signature.js";
import { apiKey, closeBedrock, credentials, serve } from "./bedrock-under-test.js";

afterEach(closeBedrock);

const sharedFile = `[work]
aws_access_key_id = ${credentials.accessKeyId}
aws_secret_access_key = ${credentials.secretAccessKey}
aws_session_token = ${credentials.sessionToken}
`;

/** A project with a test for each message to a model on Bedrock; its folder is the home as well. */
function projectFor(url: string, settings: string, messages: readonly string[] = ["Hi"]): string {
  const tests = messages.map(
    (message, index) =>
      `      - { name: greeting-${index}, input: ${message}, assert: [{ type: contains, value: Hello }] }\n`,
  );
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
${tests.join("")}`;
  return makeProject({ "kindlm.yaml": config, ".aws/credentials": sharedFile });
}

describe("the command line", () => {
  const secrets = [apiKey, credentials.secretAccessKey, credentials.sessionToken];
  const expectNoSecrets = ({ stdout, stderr }: Pick<CliOutcome, "stdout" | "stderr">): void => {
    expect(stdout + stderr).toContain("[redacted]");
    for (const secret of secrets) expect(stdout + stderr).not.toContain(secret);
  };

  it("signs with a profile of AWS's shared files, of which it shows no part that the server repeats", async () => {
    const reply = bedrockReply({ text: "Hello!", toolCalls: [] });
    const { url, requests } = await serve(({ body, headers }, response) => {
      if (body.includes("Repeat")) sendJson(response, 400, { message: `No: ${JSON.stringify(headers)}` });
      else sendJson(response, 200, reply);
    });
    const cwd = projectFor(url, ", profile: work", ["Hi", "Repeat it"]);
    const other = { AWS_ACCESS_KEY_ID: "AKIDOTHER", AWS_SECRET_ACCESS_KEY: "another-secret" };
    const env = { AWS_REGION: "eu-west-1", DEBUG: "kindlm*", ...other };
    // The AWS SDK looks for its files in the home and the environment of the process.
    const ran = await runProcess(["test", "--verbose"], { cwd, env });
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain("Summary: 1 passed, 0 failed, 1 errored, 0 skipped");
    expectNoSecrets(ran);
    expect(requests).toHaveLength(2);
    for (const received of requests) {
      const { credential, signature } = partsOf(received);
      expect(credential).toMatch(/^AKIDEXAMPLE\/\d{8}\/eu-west-1\/bedrock\/aws4_request$/);
      expect(signature).toBe(signatureExpected(received, credentials.secretAccessKey));
    }
  });

  it("says what to set when nothing lets it in", async () => {
    const { url, requests } = await serve((_request, response) => sendJson(response, 200, {}));
    const cwd = projectFor(url, ", region: eu-west-1");
    // In this process it might find the keys of whoever runs the tests.
    const ran = await runProcess(["test"], { cwd, env: { AWS_EC2_METADATA_DISABLED: "true" } });
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
      "none of AWS_BEARER_TOKEN_BEDROCK, AWS_ACCESS_KEY_ID is set; also searched: AWS's shared files, sign-in and roles",
    );
  });

  it("shows no part of an API key that the server repeats", async () => {
    const { url } = await serve(({ headers }, response) => {
      sendJson(response, 400, { message: `No: ${JSON.stringify(headers)}` });
    });
    const cwd = projectFor(url, ", region: eu-west-1");
    const env = { DEBUG: "kindlm*", AWS_BEARER_TOKEN_BEDROCK: apiKey };
    const ran = await runCli(["test", "--verbose"], { cwd, env });
    expect(ran.code).toBe(1);
    expectNoSecrets(ran);
  });
});
