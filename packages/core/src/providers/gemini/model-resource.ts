/** Models are resources: `gemini-3-flash` stands for `models/gemini-3-flash`. */
export function geminiResourceOf(model: string): string {
  return /^(?:models|tunedModels)\//.test(model) ? model : `models/${model}`;
}

/** The resource as a path. */
export function geminiPathOf(model: string): string {
  return geminiResourceOf(model).split("/").map(encodeURIComponent).join("/");
}
