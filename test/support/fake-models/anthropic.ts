import { anthropicMessage } from "../../../packages/core/src/__fixtures__/provider-replies.js";
import { streamFrames } from "../provider-streams.js";
import type { FakeModel, NeutralRequest } from "./fake-model.js";
import { withIds } from "./with-ids.js";

/** Anthropic's Messages API. */
export const anthropicFake: FakeModel = {
  type: "anthropic",
  config: (baseUrl) => ({ type: "anthropic", base_url: baseUrl, api_key_env: "ANTHROPIC_API_KEY" }),
  env: { ANTHROPIC_API_KEY: "sk-ant-fake" },
  read: ({ body }) => readMessagesRequest(body),
  reply(answer, isStream) {
    const said = withIds(answer);
    return isStream
      ? { headers: { "content-type": "text/event-stream" }, body: streamFrames("anthropic", said).join("") }
      : { headers: { "content-type": "application/json" }, body: JSON.stringify(anthropicMessage(said)) };
  },
  isStream: ({ body }) => (JSON.parse(body) as { stream?: boolean }).stream === true,
};

type Block =
  | { type: "text"; text: string }
  | { type: "image" }
  | { type: "tool_use"; id: string; name: string }
  | { type: "tool_result"; tool_use_id: string; content: string };

function readMessagesRequest(body: string): NeutralRequest {
  const {
    system,
    messages,
    tools = [],
  } = JSON.parse(body) as {
    system?: string;
    messages: readonly { role: string; content: string | readonly Block[] }[];
    tools?: readonly { name: string }[];
  };
  const told = messages.map(({ role, content }) => ({ role, blocks: blocksOf(content) }));
  const blocks = told.flatMap((message) => message.blocks);
  const names = new Map(
    blocks.flatMap((block): [string, string][] => (block.type === "tool_use" ? [[block.id, block.name]] : [])),
  );
  return {
    system: system ?? null,
    // Results of tools are messages of the user too, which say nothing themselves.
    userTexts: told.flatMap((message) => {
      const texts = message.blocks.flatMap((block) => (block.type === "text" ? [block.text] : []));
      return message.role === "user" && texts.length > 0 ? [texts.join("\n")] : [];
    }),
    toolResults: blocks.flatMap((block) =>
      block.type === "tool_result" ? [{ tool: names.get(block.tool_use_id) ?? null, content: block.content }] : [],
    ),
    tools: tools.map((tool) => tool.name),
  };
}

function blocksOf(content: string | readonly Block[]): readonly Block[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}
