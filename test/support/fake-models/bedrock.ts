import { EventStreamCodec } from "@smithy/core/event-streams";
import { fromUtf8, toUtf8 } from "@smithy/core/serde";
import type { FakeModel, NeutralAnswer, NeutralRequest } from "./fake-model.js";

/** One message of ConverseStream, by its name. */
export type BedrockEvent = readonly [name: string, data: Readonly<Record<string, unknown>>];

interface Block {
  text?: string;
  toolUse?: { toolUseId: string; name: string };
  toolResult?: { toolUseId: string; content: readonly { text: string }[] };
}

interface ConverseBody {
  system?: readonly { text: string }[];
  messages: readonly { role: string; content: readonly Block[] }[];
  toolConfig?: { tools: readonly { toolSpec: { name: string } }[] };
}

/** Converse and ConverseStream of Amazon Bedrock. */
export const bedrockFake: FakeModel = {
  type: "bedrock",
  config: (baseUrl) => ({ type: "bedrock", base_url: baseUrl, region: "us-east-1", api_key_env: "FAKE_BEDROCK_KEY" }),
  env: { FAKE_BEDROCK_KEY: "bedrock-api-key-fake" },
  read: ({ body }) => readConverseRequest(body),
  isStream: ({ url }) => url.endsWith("/converse-stream"),
  reply: (answer, isStream) =>
    isStream
      ? {
          headers: { "content-type": "application/vnd.amazon.eventstream" },
          body: Buffer.concat(bedrockEvents(answer).map(eventFrame)),
        }
      : { headers: { "content-type": "application/json" }, body: JSON.stringify(bedrockReply(answer)) },
};

function readConverseRequest(body: string): NeutralRequest {
  const { system = [], messages, toolConfig } = JSON.parse(body) as ConverseBody;
  const blocks = messages.flatMap(({ content }) => content);
  const names = new Map(blocks.flatMap(({ toolUse }) => (toolUse ? [[toolUse.toolUseId, toolUse.name] as const] : [])));
  return {
    system: system.length === 0 ? null : system.map(({ text }) => text).join("\n\n"),
    // Results of tools are messages of the user too, which say nothing themselves.
    userTexts: messages.flatMap(({ role, content }) => {
      const texts = content.flatMap(({ text }) => text ?? []);
      return role === "user" && texts.length > 0 ? [texts.join("\n")] : [];
    }),
    toolResults: blocks.flatMap(({ toolResult }) =>
      toolResult === undefined
        ? []
        : [
            {
              tool: names.get(toolResult.toolUseId) ?? null,
              content: toolResult.content.map(({ text }) => text).join(""),
            },
          ],
    ),
    tools: toolConfig?.tools.map(({ toolSpec }) => toolSpec.name) ?? [],
  };
}

const reasoning = { text: "They want to know where the order is.", signature: "EqoBCkgIARABGAIiQL" };
const usage = {
  inputTokens: 18,
  outputTokens: 17,
  totalTokens: 99,
  cacheReadInputTokens: 44,
  cacheWriteInputTokens: 20,
};
const metrics = { latencyMs: 551 };

let calls = 0;

function withIds({ toolCalls }: NeutralAnswer): readonly { toolUseId: string; name: string; input: unknown }[] {
  return toolCalls.map(({ tool, args }) => {
    calls += 1;
    return { toolUseId: `tooluse_${calls}`, name: tool, input: args };
  });
}

/** A reply of Converse in the shape that AWS documents. */
export function bedrockReply(answer: NeutralAnswer): Record<string, unknown> {
  const content: unknown[] = [{ reasoningContent: { reasoningText: reasoning } }];
  if (answer.text !== "") content.push({ text: answer.text });
  for (const toolUse of withIds(answer)) content.push({ toolUse });
  return {
    output: { message: { role: "assistant", content } },
    stopReason: answer.toolCalls.length > 0 ? "tool_use" : "end_turn",
    usage,
    metrics,
  };
}

/** The same reply as the events of ConverseStream, text and arguments in two pieces each. */
export function bedrockEvents(answer: NeutralAnswer): readonly BedrockEvent[] {
  let index = 0;
  const events: BedrockEvent[] = [["messageStart", { role: "assistant", p: "abcdefghijk" }]];
  const add = (start: unknown, deltas: readonly unknown[]): void => {
    const at = { contentBlockIndex: index };
    if (start !== null) events.push(["contentBlockStart", { ...at, start }]);
    for (const delta of deltas) events.push(["contentBlockDelta", { ...at, delta, p: "abc" }]);
    events.push(["contentBlockStop", { ...at, p: "abcdef" }]);
    index += 1;
  };
  const { text, signature } = reasoning;
  add(
    null,
    [...halves(text).map((piece) => ({ text: piece })), { signature }].map((reasoningContent) => ({
      reasoningContent,
    })),
  );
  if (answer.text !== "")
    add(
      null,
      halves(answer.text).map((piece) => ({ text: piece })),
    );
  for (const { toolUseId, name, input } of withIds(answer)) {
    add(
      { toolUse: { toolUseId, name } },
      halves(JSON.stringify(input)).map((piece) => ({ toolUse: { input: piece } })),
    );
  }
  events.push(["messageStop", { stopReason: answer.toolCalls.length > 0 ? "tool_use" : "end_turn" }]);
  events.push(["metadata", { usage, metrics }]);
  return events;
}

function halves(text: string): readonly string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((piece) => piece !== "");
}

const codec = new EventStreamCodec(toUtf8, fromUtf8);

function frame(headers: Readonly<Record<string, string>>, data: unknown): Buffer {
  const typed = Object.entries(headers).map(([name, value]) => [name, { type: "string", value }] as const);
  return Buffer.from(codec.encode({ headers: Object.fromEntries(typed), body: fromUtf8(JSON.stringify(data)) }));
}

/** An event as bytes, by AWS's own encoder. */
export function eventFrame([name, data]: BedrockEvent): Buffer {
  return frame({ ":message-type": "event", ":event-type": name, ":content-type": "application/json" }, data);
}

/** An exception as bytes, such as `throttlingException`. */
export function exceptionFrame(name: string, message: string): Buffer {
  const headers = { ":message-type": "exception", ":exception-type": name, ":content-type": "application/json" };
  return frame(headers, { message });
}
