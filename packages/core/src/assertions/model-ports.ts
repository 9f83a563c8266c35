import { kindlmError } from "../errors/kindlm-error.js";
import { failure, type Result } from "../result.js";
import type { JsonObject } from "../values/json.js";

/** What a judge is asked for: one JSON object. */
export interface JudgeQuestion {
  system: string;
  prompt: string;
  /** JSON Schema of the reply. */
  schema: JsonObject;
  /** From 1; a judge that is asked again may say otherwise. */
  sample: number;
}

export interface JudgeReply {
  /** Valid for the schema. */
  value: JsonObject;
  /** Id of the model that answered. */
  model: string;
  /** US dollars; null when the price is unknown. */
  costUsd: number | null;
}

export interface Embeddings {
  /** One for each text, in their order. */
  vectors: readonly (readonly number[])[];
  /** US dollars; null when the price is unknown. */
  costUsd: number | null;
}

/** What assertions may ask of models. `model` is what the assertion names; null stands for the one of its test. */
export interface ModelPorts {
  /** Asks again where the judge is down or its reply is not of the schema. Fails with JUDGE_EVAL_ERROR. */
  askJudge(model: string | null, question: JudgeQuestion): Promise<Result<JudgeReply>>;
  embed(model: string | null, texts: readonly string[]): Promise<Result<Embeddings>>;
  /** The answer that the baseline has for this case; null when it has none. */
  baselineAnswer(): Promise<Result<string | null>>;
}

const missing = (what: string): Promise<Result<never>> =>
  Promise.resolve(failure(kindlmError("JUDGE_EVAL_ERROR", `There is no ${what} to ask`)));

/** Where there is no model to ask, as for the library's `evaluateAssertion` by itself. */
export const noModels: ModelPorts = {
  askJudge: () => missing("judge"),
  embed: () => missing("embedding model"),
  baselineAnswer: () => missing("baseline"),
};
