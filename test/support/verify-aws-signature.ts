import { createHash, createHmac } from "node:crypto";
import type { ReceivedRequest } from "../../packages/core/src/__fixtures__/start-server.js";

/**
 * What the signature of a request should be, as a server computes it from what it received:
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html, with the path encoded
 * once more than it came, as every service but S3 does.
 */
export function signatureExpected(request: ReceivedRequest, secretAccessKey: string): string {
  const { credential, signedHeaders } = partsOf(request);
  const [, date = "", region = "", service = ""] = credential.split("/");
  const names = signedHeaders.split(";");
  const canonical = [
    request.method,
    request.path.split("/").map(encodeURIComponent).join("/"),
    "",
    ...names.map((name) => `${name}:${String(request.headers[name]).trim()}`),
    "",
    signedHeaders,
    sha256(request.body),
  ].join("\n");
  const scope = `${date}/${region}/${service}/aws4_request`;
  const toSign = ["AWS4-HMAC-SHA256", request.headers["x-amz-date"], scope, sha256(canonical)].join("\n");
  const key = [date, region, service, "aws4_request"].reduce<Buffer | string>(hmac, `AWS4${secretAccessKey}`);
  return hmac(key, toSign).toString("hex");
}

/** The parts of an `authorization` header of Signature Version 4. */
export function partsOf({ headers }: ReceivedRequest) {
  const found = /^AWS4-HMAC-SHA256 Credential=(\S+), SignedHeaders=(\S+), Signature=([0-9a-f]{64})$/.exec(
    headers.authorization ?? "",
  );
  const [, credential = "", signedHeaders = "", signature = ""] = found ?? [];
  return { credential, signedHeaders, signature };
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
