const definition = ({
  kebab,
  camel,
  pascal,
  snake,
}) => `import { defineHttpProvider } from "../define-http-provider.js";
import { openHttpProvider } from "../open-http-provider.js";

const type = "${snake}";
const label = "${pascal}";

export const ${camel}Provider = defineHttpProvider({
  type,
  label,
  summary: "Models of ${pascal}",
  open(settings, env) {
    const apiKeyEnv = "${snake.toUpperCase()}_API_KEY";
    return openHttpProvider({ type, label, baseUrl: "https://${kebab}.invalid", apiKeyEnv }, settings, env);
  },
  probeUrl: ({ baseUrl }) => \`\${baseUrl}/v1/models\`,
  async loadFormat(access, { model }) {
    const { create${pascal}Format } = await import("./${kebab}-format.js");
    return create${pascal}Format(access, model);
  },
});
`;

const format = ({ pascal }) => `import { failure, success, type Result } from "../../result.js";
import type { JsonObject } from "../../values/json.js";
import type { HttpProviderAccess } from "../open-http-provider.js";
import type { ProviderRequest } from "../provider.js";
import type { StreamAssembler, WireAnswer, WireFormat } from "../wire-format.js";

export function create${pascal}Format({ baseUrl, headers }: HttpProviderAccess, model: string): WireFormat {
  const url = \`\${baseUrl}/v1/chat\`;
  return {
    toRequest: (request) => ({ url, headers, body: to${pascal}Request(request, model) }),
    fromResponse: from${pascal}Response,
    stream: { framing: "sse", createAssembler: create${pascal}Assembler },
  };
}

/** A request as the body that ${pascal} reads. */
function to${pascal}Request({ system, messages, params }: ProviderRequest, model: string): JsonObject {
  const written = messages.map((message) => ({ role: message.role, content: JSON.stringify(message) }));
  const body: JsonObject = { model, messages: written };
  if (system !== undefined) body["system"] = system;
  return { ...body, ...params.extra_body };
}

/** What the body of a reply says. The error is the reason why it cannot be used. */
function from${pascal}Response(json: Record<string, unknown>): Result<WireAnswer, string> {
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

/** Puts the events of a stream together to the body that the same request gets without streaming. */
function create${pascal}Assembler(): StreamAssembler {
  let text = "";
  let isComplete = false;
  return {
    get text() {
      return text;
    },
    add({ data }) {
      if (data["done"] === true) {
        isComplete = true;
        return { kind: "end" };
      }
      text += typeof data["text"] === "string" ? data["text"] : "";
      return { kind: "content" };
    },
    finish: () => (isComplete ? { text } : null),
  };
}
`;

const test = ({ snake }) => `import { expect, it } from "vitest";
import { adapterFor, requestOf } from "../../../../../test/providers/adapter-under-test.js";
import { sendJson, startServer } from "../../__fixtures__/start-server.js";

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
`;

/** An HTTP provider: a definition, and a format with two pure translators around the shared exchange. */
export const providerTemplate = {
  folder: "packages/core/src/providers",
  registry: { file: "packages/core/src/providers/registry.ts", list: "providerDefinitions" },
  member: ({ kebab, camel }) => ({ name: `${camel}Provider`, from: `./${kebab}/${kebab}-provider.js` }),
  next: () => "Write the two translators after the provider's documentation, then run: pnpm gen",
  files: (names) => ({
    [`${names.kebab}/${names.kebab}-provider.ts`]: definition(names),
    [`${names.kebab}/${names.kebab}-format.ts`]: format(names),
    [`${names.kebab}/${names.kebab}-provider.test.ts`]: test(names),
  }),
};
