import { isRecord } from "../../../../values/json.js";
import * as z from "../../../../values/deferred-zod.js";
import { changed, dropped, each, keysOf, refused, type Rule } from "../translation-table.js";
import { openApiTable } from "./open-api-schema.js";

const blob = z.object({ mimeType: z.string(), data: z.string() });
const file = z.object({ fileUri: z.string(), mimeType: z.string().nullish() });
const calledFunction = z.object({ id: z.string(), name: z.string().min(1), args: z.unknown().optional() });
const functionResult = z.object({ id: z.string(), name: z.string(), response: z.unknown().optional() });

const partSchema = z.object({
  text: z.string().nullish(),
  thought: z.boolean().nullish(),
  thoughtSignature: z.string().nullish(),
  inlineData: blob.nullish(),
  fileData: file.nullish(),
  functionCall: calledFunction.nullish(),
  functionResponse: functionResult.nullish(),
});

const contentSchema = z.object({
  // Older clients send results as the role "function".
  role: z.enum(["user", "model", "function"]).nullish(),
  parts: z.array(partSchema).nullish(),
});

const systemPart = z.object({ text: z.string() });
const systemSchema = z.object({ role: z.string().nullish(), parts: z.array(systemPart) });
const jsonSchema = z.record(z.string(), z.json());

const declarationSchema = z.object({
  name: z.string(),
  description: z.string().nullish(),
  parameters: jsonSchema.nullish(),
  parametersJsonSchema: jsonSchema.nullish(),
});
const toolSchema = z.object({ functionDeclarations: z.array(declarationSchema).nullish() });

const callingSchema = z.object({
  mode: z.enum(["MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED"]).nullish(),
  allowedFunctionNames: z.array(z.string()).nullish(),
});
const toolConfigSchema = z.object({ functionCallingConfig: callingSchema.nullish() });

const thinkingSchema = z.object({ thinkingBudget: z.number().nullish(), thinkingLevel: z.string().nullish() });
const number = z.number().nullish();
const generationSchema = z.object({
  temperature: number,
  topP: number,
  maxOutputTokens: number,
  seed: number,
  stopSequences: z.array(z.string()).nullish(),
  presencePenalty: number,
  frequencyPenalty: number,
  responseMimeType: z.string().nullish(),
  responseSchema: jsonSchema.nullish(),
  responseJsonSchema: jsonSchema.nullish(),
  thinkingConfig: thinkingSchema.nullish(),
});

/** What a translation reads of `generateContent`, as Google's API reference has it. */
export const geminiRequestSchema = z.object({
  /** In some clients, next to the one in the address. */
  model: z.string().nullish(),
  contents: z.array(contentSchema).min(1),
  systemInstruction: systemSchema.nullish(),
  tools: z.array(toolSchema).nullish(),
  toolConfig: toolConfigSchema.nullish(),
  generationConfig: generationSchema.nullish(),
});

const googlesTool = refused("it is a tool that Google runs");
const onlyGemini = dropped("only Gemini's models know it");
const imagesOnly = refused("KindLM translates images and no other files");
const noAccount = dropped("it is about the account and not the answer");

const isImage = (mimeType: unknown): boolean => typeof mimeType === "string" && mimeType.startsWith("image/");

/** Files that Google keeps, and videos that it fetches, are nothing to other models. */
const ofGoogle = /^https?:\/\/(?:[^/]*\.googleapis\.com\/.*\/?files\/|(?:www\.)?youtu)/;

const partTable: Rule = keysOf(partSchema, {
  thought: dropped("only Gemini's models get their thoughts back", false),
  inlineData: (value, path) =>
    isRecord(value) && isImage(value["mimeType"])
      ? keysOf(blob, { displayName: onlyGemini })(value, path)
      : imagesOnly(value, path),
  fileData: (value, path) => {
    if (!isRecord(value)) return [];
    const { fileUri, mimeType = null } = value;
    const isPublic = typeof fileUri === "string" && /^https?:/.test(fileUri) && !ofGoogle.test(fileUri);
    const isKept = isPublic && (mimeType === null || isImage(mimeType));
    return isKept ? keysOf(file, { displayName: onlyGemini })(value, path) : imagesOnly(value, path);
  },
  functionCall: keysOf(calledFunction),
  functionResponse: keysOf(functionResult),
  executableCode: refused("it is code that Google ran"),
  codeExecutionResult: refused("it is code that Google ran"),
  mediaResolution: onlyGemini,
  partMetadata: onlyGemini,
});

/** What becomes of the keys of a request that is translated. */
export const geminiTable: Rule = keysOf(geminiRequestSchema, {
  contents: each(keysOf(contentSchema, { parts: each(partTable) })),
  systemInstruction: keysOf(systemSchema, { parts: each(keysOf(systemPart)) }),
  tools: each(
    keysOf(toolSchema, {
      functionDeclarations: each(
        keysOf(declarationSchema, {
          parameters: openApiTable,
          response: onlyGemini,
          responseJsonSchema: onlyGemini,
          behavior: refused("KindLM waits for the results of calls", "BLOCKING", "UNSPECIFIED"),
        }),
      ),
      ...Object.fromEntries(
        "googleSearch googleSearchRetrieval googleMaps codeExecution urlContext fileSearch computerUse mcpServers retrieval"
          .split(" ")
          .map((name) => [name, googlesTool]),
      ),
    }),
  ),
  toolConfig: keysOf(toolConfigSchema, {
    functionCallingConfig: keysOf(callingSchema, {
      mode: (value, path) =>
        value === "VALIDATED" ? changed("it is AUTO for the model of the test")(value, `${path}(VALIDATED)`) : [],
      allowedFunctionNames: (value, path) =>
        Array.isArray(value) && value.length > 1
          ? changed("the model of the test is offered these functions and no others")(value, path)
          : [],
    }),
    includeServerSideToolInvocations: dropped("Google runs no tools here", false),
  }),
  generationConfig: keysOf(generationSchema, {
    topK: dropped("KindLM has no parameter for it"),
    candidateCount: refused("KindLM asks for one answer", 1),
    responseLogprobs: refused("KindLM does not ask for probabilities", false),
    logprobs: refused("KindLM does not ask for probabilities"),
    responseModalities: (value, path) =>
      Array.isArray(value) && value.every((one) => String(one).toUpperCase() === "TEXT")
        ? []
        : refused("KindLM answers with text")(value, path),
    responseMimeType: refused("KindLM answers with text or JSON", "text/plain", "application/json"),
    responseSchema: openApiTable,
    thinkingConfig: keysOf(thinkingSchema, {
      includeThoughts: dropped("KindLM's answers have no thoughts in them", false),
      thinkingBudget: changed("it is an effort in words for the model of the test", -1),
    }),
    mediaResolution: onlyGemini,
    enableEnhancedCivicAnswers: onlyGemini,
  }),
  safetySettings: dropped("only Gemini's models have these filters"),
  cachedContent: refused("it is stored with Google"),
  labels: noAccount,
  serviceTier: noAccount,
  store: noAccount,
});

export type GeminiRequest = z.output<typeof geminiRequestSchema>;
