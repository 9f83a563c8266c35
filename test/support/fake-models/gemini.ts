import type { FakeModel, NeutralAnswer } from "./fake-model.js";

interface GeminiPart {
  text?: string;
  functionResponse?: { name: string; response: { output?: unknown; error?: unknown } };
}

interface GeminiBody {
  systemInstruction?: { parts: readonly GeminiPart[] };
  contents: readonly { role: string; parts: readonly GeminiPart[] }[];
  tools?: readonly { functionDeclarations: readonly { name: string }[] }[];
}

const modelVersion = "gemini-3-flash-001";

/** An agent that speaks the language of Gemini's `generateContent`. */
export const geminiFake: FakeModel = {
  type: "gemini",
  config: (baseUrl) => ({ type: "gemini", base_url: baseUrl, api_key_env: "GEMINI_API_KEY" }),
  env: { GEMINI_API_KEY: "gemini-test-key" },
  isStream: ({ url }) => url.includes(":streamGenerateContent?alt=sse"),
  read({ body }) {
    const { systemInstruction, contents, tools = [] } = JSON.parse(body) as GeminiBody;
    const asked = contents.filter(({ role }) => role === "user");
    return {
      system: systemInstruction === undefined ? null : textOf(systemInstruction.parts),
      userTexts: asked.filter(({ parts }) => parts.some(isText)).map(({ parts }) => textOf(parts)),
      toolResults: asked.flatMap(({ parts }) =>
        parts.flatMap(({ functionResponse: done }) =>
          done === undefined ? [] : [{ tool: done.name, content: contentOf(done.response) }],
        ),
      ),
      tools: tools.flatMap(({ functionDeclarations }) => functionDeclarations.map(({ name }) => name)),
    };
  },
  reply: (answer, isStream) =>
    isStream
      ? {
          headers: { "content-type": "text/event-stream" },
          body: geminiChunks(answer)
            .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
            .join(""),
        }
      : { headers: { "content-type": "application/json" }, body: JSON.stringify(geminiReply(answer)) },
};

/** A reply in the shape that Google documents. */
export function geminiReply({ text, toolCalls }: NeutralAnswer): Record<string, unknown> {
  const parts: unknown[] = text === "" ? [] : [{ text }];
  return {
    candidates: [
      { content: { parts: [...parts, ...callParts(toolCalls)], role: "model" }, finishReason: "STOP", index: 0 },
    ],
    usageMetadata: {
      promptTokenCount: 82,
      candidatesTokenCount: 12,
      totalTokenCount: 99,
      cachedContentTokenCount: 64,
      promptTokensDetails: [{ modality: "TEXT", tokenCount: 82 }],
      thoughtsTokenCount: 5,
    },
    modelVersion,
    responseId: "x9kPaevVBqGgnsEP",
  };
}

/** The same reply in pieces: the text in two, then the calls, then the end. */
export function geminiChunks(answer: NeutralAnswer): readonly Record<string, unknown>[] {
  const { usageMetadata, responseId } = geminiReply(answer);
  const middle = Math.ceil(answer.text.length / 2);
  const pieces = [answer.text.slice(0, middle), answer.text.slice(middle)].filter((piece) => piece !== "");
  const contents = [...pieces.map((text) => [{ text }]), ...callParts(answer.toolCalls).map((part) => [part])];
  const about = { modelVersion, responseId };
  return [
    ...contents.map((parts) => ({
      candidates: [{ content: { parts, role: "model" }, index: 0 }],
      usageMetadata: { promptTokenCount: 82, totalTokenCount: 87, thoughtsTokenCount: 5 },
      ...about,
    })),
    {
      candidates: [{ content: { parts: [{ text: "" }], role: "model" }, finishReason: "STOP", index: 0 }],
      usageMetadata,
      ...about,
    },
  ];
}

/** Of parallel calls only the first carries a signature. */
function callParts(toolCalls: NeutralAnswer["toolCalls"]): readonly Record<string, unknown>[] {
  return toolCalls.map(({ tool, args }, index) => ({
    functionCall: { name: tool, args, id: `fc_${index}` },
    ...(index === 0 ? { thoughtSignature: "CiQBjz1rX4lx" } : {}),
  }));
}

function isText({ text }: GeminiPart): boolean {
  return text !== undefined;
}

function textOf(parts: readonly GeminiPart[]): string {
  return parts.flatMap(({ text }) => text ?? []).join("\n");
}

function contentOf({ output, error }: { output?: unknown; error?: unknown }): string {
  const value = output ?? error;
  return typeof value === "string" ? value : JSON.stringify(value);
}
