/** The version of KindLM; kept equal to package.json by `pnpm gen`. */
export const kindlmVersion = "0.2.0";
