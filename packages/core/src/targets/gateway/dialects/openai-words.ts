import { jsonError, type GatewayReply } from "../gateway-request.js";

/** An error as OpenAI words it. */
export function openaiError(status: number, code: string, message: string): GatewayReply {
  const type = status < 500 ? "invalid_request_error" : "server_error";
  return jsonError(status, { error: { message, type, param: null, code } });
}

/** Where the clients of OpenAI look for address and key. */
export function openaiEnvironment(url: string, token: string): Readonly<Record<string, string>> {
  return { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_BASE: `${url}/v1`, OPENAI_API_KEY: token };
}
