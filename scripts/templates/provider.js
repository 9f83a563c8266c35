/** An HTTP provider: a definition and two pure translators around the shared post. */
export const providerTemplate = {
  folder: "packages/core/src/providers",
  registry: { file: "packages/core/src/providers/registry.ts", list: "providerDefinitions" },
  member: ({ kebab, camel }) => ({ name: `${camel}Provider`, from: `./${kebab}/${kebab}-provider.js` }),
  next: () => "Write the two translators after the provider's documentation, then run: pnpm gen",
  files: ({ kebab, camel, pascal, snake }) => ({
    [`${kebab}/${kebab}-provider.ts`]: `import { failure, success } from "../../result.js";
import { defineProvider } from "../define-provider.js";
import { missingKey, requestIdOf } from "../http/classify.js";
import { postJson } from "../http/post-json.js";
import { openHttpProvider } from "../open-http-provider.js";
import { httpProviderSettings } from "../provider-settings.js";
import { from${pascal}Response } from "./from-response.js";
import { to${pascal}Request } from "./to-request.js";

const type = "${snake}";
const label = "${pascal}";

export const ${camel}Provider = defineProvider({
  type,
  label,
  summary: "Models of ${pascal}",
  settings: httpProviderSettings,
  modelSettings: {},
  documents: {},
  isDeterministic: () => false,
  create(settings, ports) {
    const access = openHttpProvider(
      { type, label, baseUrl: "https://${kebab}.invalid", apiKeyEnv: "${snake.toUpperCase()}_API_KEY" },
      settings,
      ports.env,
    );
    const headers: Record<string, string> = {};
    if (access.apiKey !== null) headers["authorization"] = \`Bearer \${access.apiKey}\`;
    Object.assign(headers, access.headers);
    return success({
      async complete(request, options) {
        if (access.isKeyMissing) return failure(missingKey(access.identity));
        const body = to${pascal}Request(request, settings.model);
        const post = { url: \`\${access.baseUrl}/v1/chat\`, headers, body, timeouts: request.timeouts };
        const posted = await postJson(access.identity, ports, post, options);
        if (!posted.success) return posted;
        const { json, reply, unusable } = posted.data;
        const answer = from${pascal}Response(json);
        if (!answer.success) return unusable(answer.error);
        return success({ ...answer.data, requestId: requestIdOf(reply.headers), latencyMs: reply.latencyMs });
      },
    });
  },
});
`,
    [`${kebab}/to-request.ts`]: `import type { JsonObject } from "../../values/json.js";
import type { ProviderRequest } from "../provider.js";

/** A request as the body that ${pascal} reads. */
export function to${pascal}Request({ system, messages, params }: ProviderRequest, model: string): JsonObject {
  const written = messages.map((message) => ({ role: message.role, content: JSON.stringify(message) }));
  const body: JsonObject = { model, messages: written };
  if (system !== undefined) body["system"] = system;
  return { ...body, ...params.extra_body };
}
`,
    [`${kebab}/from-response.ts`]: `import { failure, success, type Result } from "../../result.js";
import type { ProviderResponse } from "../provider.js";

type Answer = Pick<ProviderResponse, "text" | "toolCalls" | "finishReason" | "usage" | "modelServed">;

/** What the body of a reply says. The error is the reason why it can not be used. */
export function from${pascal}Response(json: Record<string, unknown>): Result<Answer, string> {
  const { text } = json;
  if (typeof text !== "string") return failure("no text in its body");
  return success({
    text,
    toolCalls: [],
    finishReason: { unified: "stop", raw: null },
    usage: null,
    modelServed: null,
  });
}
`,
    [`${kebab}/${kebab}-provider.test.ts`]: `import { expect, it } from "vitest";
import { adapterFor, requestOf } from "../../../../../test/providers/adapter-under-test.js";
import { sendJson, startServer } from "../../../../../test/support/start-server.js";

it("sends the model's name and reads the answer", async () => {
  let model: unknown;
  const server = await startServer((request, response) => {
    model = (JSON.parse(request.body) as { model?: unknown }).model;
    sendJson(response, 200, { text: "hello" });
  });
  const adapter = adapterFor({ type: "${snake}", provider: { base_url: server.url } });
  const answer = await adapter.complete(requestOf(), { signal: new AbortController().signal });
  await server.close();
  expect(answer).toMatchObject({ success: true, data: { text: "hello" } });
  expect(model).toBe("test-model");
});
`,
  }),
};
