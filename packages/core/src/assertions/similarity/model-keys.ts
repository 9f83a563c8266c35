import * as z from "../../values/deferred-zod.js";
import type { AssertionReference } from "../define-assertion.js";

/** The key that names a model where `method` asks one. */
export const modelKeys = {
  model: z
    .string()
    .min(1)
    .optional()
    .describe(
      "The model that is asked, an id of models or provider:model: an embedding model for embedding, a judge for judge. Default: `embedder` or `judge` of the test, the suite or the defaults.",
    ),
};

interface WrittenKeys {
  model?: string | undefined;
  ignore_case?: boolean | undefined;
}

/** Refuses keys that the method would ignore, since whoever wrote them expects them to count. */
export function reportMisplacedKeys(
  method: string,
  { model, ignore_case: ignoresCase }: WrittenKeys,
  context: z.core.$RefinementCtx,
): void {
  const isAsking = asksModel(method);
  const report = (key: string, message: string): void => {
    context.addIssue({ code: "custom", path: [key], message });
  };
  if (model !== undefined && !isAsking) {
    report("model", `Method ${method} calls no model\nUse method: embedding or method: judge, or remove model`);
  }
  if (ignoresCase !== undefined && isAsking) {
    report("ignore_case", `"ignore_case" has no effect with method ${method}\nRemove it`);
  }
}

/** What an assertion of this method points at. */
export function askedModelOf(method: string, model: string | undefined): readonly AssertionReference[] {
  if (!asksModel(method)) return [];
  const path = [model === undefined ? "method" : "model"];
  return [{ kind: method === "judge" ? "judge" : "embedder", model: model ?? null, path }];
}

function asksModel(method: string): boolean {
  return method === "embedding" || method === "judge";
}
