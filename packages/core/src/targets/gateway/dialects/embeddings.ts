import { success } from "../../../result.js";
import { textOf } from "../../../values/json.js";
import * as z from "../../../values/deferred-zod.js";
import type { GatewayReply } from "../gateway-request.js";
import { embeddingRoute } from "../serve-embeddings.js";
import type { DialectRoute } from "./dialect.js";
import { parseBody, readBody, type Body } from "./read-body.js";
import { dropped, each, keysOf, refused, type Rule } from "./translation-table.js";

const openaiSchema = z.object({
  model: z.string().nullish(),
  input: z.union([z.string(), z.array(z.string()).min(1)]),
  encoding_format: z.enum(["float", "base64"]).nullish(),
});

const ofOneLength = refused("the model of the case has vectors of one length");

const openaiTable: Rule = keysOf(openaiSchema, {
  input: (value, path) =>
    Array.isArray(value) && value.some((item) => typeof item !== "string")
      ? refused("other models have other tokens")(value, path)
      : [],
  dimensions: ofOneLength,
  user: dropped("it is about the account and not the answer"),
});

/** Embeddings, as OpenAI's API reference has them. Whichever of its two other APIs a server has, it may have these. */
export const openaiEmbeddings: DialectRoute = embeddingRoute(
  /^(?:\/v1)?\/embeddings$/,
  ["openai-chat", "openai-responses"],
  ({ body: text }) => {
    const parsed = parseBody(text);
    if (!parsed.success) return parsed;
    const body = parsed.data;
    return success({
      model: textOf(body["model"]),
      translate() {
        const read = readBody(openaiSchema, openaiTable, body);
        if (!read.success) return read;
        const { request, changes } = read.data;
        return success({ texts: typeof request.input === "string" ? [request.input] : request.input, changes });
      },
      render({ vectors, usage }, model) {
        const asText = body["encoding_format"] === "base64";
        const tokens = usage?.inputTokens ?? 0;
        return jsonReply({
          object: "list",
          data: vectors.map((vector, index) => ({
            object: "embedding",
            index,
            embedding: asText ? Buffer.from(Float32Array.from(vector).buffer).toString("base64") : vector,
          })),
          model,
          usage: { prompt_tokens: tokens, total_tokens: tokens },
        });
      },
    });
  },
);

const partSchema = z.object({ text: z.string() });
const contentSchema = z.object({ role: z.string().nullish(), parts: z.array(partSchema) });
const singleSchema = z.object({ model: z.string().nullish(), content: contentSchema });
const batchSchema = z.object({ requests: z.array(singleSchema).min(1) });

const singleTable: Rule = keysOf(singleSchema, {
  content: keysOf(contentSchema, { parts: each(keysOf(partSchema)) }),
  taskType: dropped("only Gemini's models know it"),
  title: dropped("only Gemini's models know it"),
  outputDimensionality: ofOneLength,
});
const batchTable: Rule = keysOf(batchSchema, { requests: each(singleTable) });

/** Embeddings of Gemini, one or many. `read`: the body of a request with the keys as the reference writes them. */
export function geminiEmbeddings(read: (body: Body) => Body): DialectRoute {
  return embeddingRoute(
    /^(?:\/v1(?:alpha|beta)?)?\/models\/[^/:]+:(?:batchE|e)mbedContents?$/,
    ["gemini"],
    (request) => {
      const parsed = parseBody(request.body);
      if (!parsed.success) return parsed;
      const body = read(parsed.data);
      const isBatch = request.path.endsWith(":batchEmbedContents");
      return success({
        model: /models\/([^/:]+)/.exec(request.path)?.[1] ?? "",
        translate() {
          const all = readBody(batchSchema, batchTable, isBatch ? body : { requests: [body] });
          if (!all.success) return all;
          const { request: asked, changes } = all.data;
          const texts = asked.requests.map(({ content }) => content.parts.map(({ text }) => text).join(""));
          return success({ texts, changes });
        },
        render({ vectors }) {
          const embeddings = vectors.map((values) => ({ values }));
          return jsonReply(isBatch ? { embeddings } : { embedding: embeddings[0] });
        },
      });
    },
  );
}

function jsonReply(body: unknown): GatewayReply {
  return { status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}
